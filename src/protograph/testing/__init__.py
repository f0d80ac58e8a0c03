"""Whether an explainer of one's own keeps the contract: what PAGE and every other explainer here owe."""

from protograph.testing.contract import CHECKS, ContractError, check_explainer

__all__ = ["CHECKS", "ContractError", "check_explainer"]
