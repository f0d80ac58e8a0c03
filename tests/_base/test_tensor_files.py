import hashlib
import json
import zlib

import pytest
import torch

from protograph._base.tensor_files import is_storable, read_tensors, read_texts, write_tensors


def test_tensors_and_texts_come_back(tmp_path):
    tensors = {
        "a": torch.tensor([[1.5, -0.0]], dtype=torch.float64),
        "none": torch.empty(0, 3, dtype=torch.int16),
        "flags": torch.tensor([True, False, True]),
        "half": torch.tensor([1.0], dtype=torch.bfloat16),
    }
    write_tensors(tmp_path / "a", tensors, {"what": "some"})
    found, texts = read_tensors(tmp_path / "a")
    assert texts == {"what": "some"}
    assert list(found) == list(tensors)
    for name, tensor in tensors.items():
        assert found[name].dtype == tensor.dtype
        assert torch.equal(found[name], tensor)
    assert read_texts(tmp_path / "a")["what"] == "some"


def test_the_layout_is_that_of_safetensors(tmp_path):
    write_tensors(tmp_path / "a", {"a": torch.tensor([1, 2], dtype=torch.uint8)}, {})
    content = (tmp_path / "a").read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    assert header["a"] == {"dtype": "U8", "shape": [2], "data_offsets": [0, 2]}
    assert content[8 + length :] == b"\x01\x02"


def test_tensors_that_lie_elsewhere_are_refused(tmp_path):
    head = json.dumps({"a": {"dtype": "I64", "shape": [9], "data_offsets": [0, 72]}}).encode()
    (tmp_path / "a").write_bytes(len(head).to_bytes(8, "little") + head + b"1234")
    with pytest.raises(ValueError, match=r"a is damaged or no file of tensors: a tensor lies outside of it$"):
        read_tensors(tmp_path / "a")


@pytest.mark.parametrize("name", ["crc32", "blake2b"])
def test_numbers_are_compared_with_their_checksum_or_with_the_digest_of_older_files(tmp_path, name):
    numbers = b"\x01\x02"
    right = {"crc32": f"{zlib.crc32(numbers):08x}", "blake2b": hashlib.blake2b(numbers, digest_size=16).hexdigest()}
    texts = {"__metadata__": {name: right[name]}}
    head = json.dumps({**texts, "a": {"dtype": "U8", "shape": [2], "data_offsets": [0, 2]}}).encode()
    (tmp_path / "a").write_bytes(len(head).to_bytes(8, "little") + head + numbers)
    assert read_tensors(tmp_path / "a")[0]["a"].tolist() == [1, 2]
    (tmp_path / "a").write_bytes(len(head).to_bytes(8, "little") + head + b"\x01\x03")
    with pytest.raises(ValueError, match=r"its numbers are not those that were written$"):
        read_tensors(tmp_path / "a")


def test_what_has_no_place_in_a_file_is_told():
    assert is_storable(torch.ones(1))
    assert not is_storable(torch.ones(1, dtype=torch.complex64))
    assert not is_storable(torch.ones(1).to_sparse())
    assert not is_storable(torch.ones(1, device="meta"))
