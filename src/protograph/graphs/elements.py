"""Names and colours of the chemical elements, and whether a data set's features are atoms."""

from collections.abc import Mapping, Sequence

from protograph._utils.words import counted

TABLE = (
    "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr Nb "
    "Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au "
    "Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts "
    "Og"
)
SYMBOLS = frozenset(TABLE.split())
# Any other atom, as data sets of molecules have it here.
OTHER = "*"
# Those that are spoken of in the plural; of others one says "two sodium atoms".
COUNTABLE = {
    "C": "carbon",
    "H": "hydrogen",
    "N": "nitrogen",
    "O": "oxygen",
    "F": "fluorine",
    "Cl": "chlorine",
    "Br": "bromine",
    "I": "iodine",
    "S": "sulfur",
}
OTHERS = {
    "P": "phosphorus",
    "B": "boron",
    "Si": "silicon",
    "Se": "selenium",
    "Na": "sodium",
    "K": "potassium",
    "Li": "lithium",
    "Ca": "calcium",
    "Mg": "magnesium",
    "As": "arsenic",
    "Sn": "tin",
    "Zn": "zinc",
    "Cu": "copper",
    "Fe": "iron",
    "Hg": "mercury",
    OTHER: "other",
}

# After Corey, Pauling and Koltun where that can be seen on white and told apart by colour-blind readers:
# dark carbon, pale hydrogen, blue nitrogen and vermilion oxygen differ in lightness too. "*" is any other atom.
COLORS: Mapping[str, str] = {
    "C": "#4D4D4D",
    "H": "#CCCCCC",
    "N": "#0072B2",
    "O": "#D55E00",
    "S": "#F7E34B",
    "P": "#E69F00",
    "F": "#7BE0A0",
    "Cl": "#009E73",
    "Br": "#7F2A10",
    "I": "#5B2A86",
    "Na": "#CC79A7",
    "K": "#9170DB",
    "Li": "#E6B3D6",
    "Ca": "#56B4E9",
    "B": "#F4A38A",
    "*": "#8A8A8A",
}


def are_atoms(feature_names: Sequence[str]) -> bool:
    """Whether columns of features are atoms: all are symbols of elements, and carbon is among them.

    Carbon is asked for because short names of other things, such as H and B for head and body, are symbols too.

    >>> are_atoms(("C", "Cl", "*")), are_atoms(("head", "body")), are_atoms(("H", "B"))
    (True, False, False)
    """
    return "C" in feature_names and all(name in SYMBOLS or name == OTHER for name in feature_names)


def element_name(symbol: str) -> str:
    """English name of a common element, else its symbol.

    >>> element_name("Cl"), element_name("Na"), element_name("Xe")
    ('chlorine', 'sodium', 'Xe')
    """
    return COUNTABLE.get(symbol) or OTHERS.get(symbol, symbol)


def counted_atoms(number: int, symbol: str, *, word: str = "") -> str:
    """So many atoms of an element.

    >>> counted_atoms(6, "C"), counted_atoms(1, "N"), counted_atoms(2, "Na"), counted_atoms(2, "C", word="further ")
    ('six carbons', 'one nitrogen', 'two sodium atoms', 'two further carbons')
    """
    name = word + element_name(symbol)
    return counted(number, name if symbol in COUNTABLE else f"{name} atom")
