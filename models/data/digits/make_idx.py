#!/usr/bin/env python3
"""Makes the four IDX files beside this script from scikit-learn's digits.csv.gz:  make_idx.py DIGITS_CSV_GZ

The split is stratified: every digit gives the same share of its images to the test set. Which ones, and the order in
both files, follow from SHA-256 of "SEED:ROW": a shuffle that is the same with every Python version.
Needs nothing but Python's own library. It was run once; its output is kept in the repository.
"""
import gzip
import hashlib
import pathlib
import struct
import sys

SEED = 1797
TEST_IMAGES = 360
ROWS = COLUMNS = 8


def rank_of(row):
    return hashlib.sha256(f"{SEED}:{row}".encode()).digest()


def test_counts(labels):
    """Images of each digit in the test set: TEST_IMAGES in proportion, by largest remainder."""
    shares = {digit: TEST_IMAGES * labels.count(digit) / len(labels) for digit in sorted(set(labels))}
    counts = {digit: int(share) for digit, share in shares.items()}
    by_remainder = sorted(shares, key=lambda digit: (counts[digit] - shares[digit], digit))
    for digit in by_remainder[: TEST_IMAGES - sum(counts.values())]:
        counts[digit] += 1
    return counts


def write_split(folder, name, images, labels):
    header = struct.pack(">IIII", 0x00000803, len(images), ROWS, COLUMNS)
    (folder / f"{name}-images-idx3-ubyte").write_bytes(header + b"".join(images))
    header = struct.pack(">II", 0x00000801, len(labels))
    (folder / f"{name}-labels-idx1-ubyte").write_bytes(header + bytes(labels))


def main():
    with gzip.open(sys.argv[1], "rt") as file:
        rows = [[int(float(field)) for field in line.split(",")] for line in file]
    images = [bytes(row[:-1]) for row in rows]
    labels = [row[-1] for row in rows]
    assert all(len(image) == ROWS * COLUMNS and max(image) <= 16 for image in images)

    left = test_counts(labels)
    train, test = [], []
    for row in sorted(range(len(rows)), key=rank_of):
        if left[labels[row]] > 0:
            left[labels[row]] -= 1
            test.append(row)
        else:
            train.append(row)
    train.sort(key=lambda row: rank_of(f"train:{row}"))
    test.sort(key=lambda row: rank_of(f"test:{row}"))
    folder = pathlib.Path(__file__).parent
    for name, chosen in (("train", train), ("t10k", test)):
        write_split(folder, name, [images[row] for row in chosen], [labels[row] for row in chosen])
        print(name, len(chosen), [sum(labels[row] == digit for row in chosen) for digit in range(10)])


if __name__ == "__main__":
    main()
