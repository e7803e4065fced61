// The demo's data: 1,437 and 360 images of digits as IDX files, every digit in the same proportion in both.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace {

const std::string kFolder = PARTYLINE_SOURCE_DIR "/models/data/digits/";

std::vector<uint8_t> bytesOf(const std::string &name) {
  std::ifstream stream(kFolder + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

uint32_t bigEndian(const std::vector<uint8_t> &bytes, size_t at) {
  return uint32_t{bytes[at]} << 24 | uint32_t{bytes[at + 1]} << 16 | uint32_t{bytes[at + 2]} << 8 | bytes[at + 3];
}

/// The images of a split, 64 bytes each.
std::vector<std::string> images(const std::string &split, uint32_t count) {
  std::vector<uint8_t> bytes = bytesOf(split + "-images-idx3-ubyte");
  std::vector<std::string> result;
  EXPECT_EQ(bytes.size(), 16 + count * 64);
  if (bytes.size() != 16 + count * 64)
    return result;
  EXPECT_EQ(bigEndian(bytes, 0), 0x803u);
  EXPECT_EQ(bigEndian(bytes, 4), count);
  EXPECT_EQ(bigEndian(bytes, 8), 8u);
  EXPECT_EQ(bigEndian(bytes, 12), 8u);
  for (size_t at = 16; at < bytes.size(); at += 64)
    result.emplace_back(bytes.begin() + at, bytes.begin() + at + 64);
  return result;
}

std::vector<int> countsOfDigits(const std::string &split, uint32_t count) {
  std::vector<uint8_t> bytes = bytesOf(split + "-labels-idx1-ubyte");
  std::vector<int> counts(10);
  EXPECT_EQ(bytes.size(), 8 + count);
  if (bytes.size() != 8 + count)
    return counts;
  EXPECT_EQ(bigEndian(bytes, 0), 0x801u);
  EXPECT_EQ(bigEndian(bytes, 4), count);
  for (size_t at = 8; at < bytes.size(); ++at)
    ++counts.at(bytes[at]);
  return counts;
}

TEST(Digits, ImagesHaveSixteenLevels) {
  for (const auto &[split, count] : {std::pair{"train", 1437u}, {"t10k", 360u}}) {
    uint8_t largest = 0;
    for (const std::string &image : images(split, count))
      largest = std::max<uint8_t>(largest, *std::max_element(image.begin(), image.end()));
    EXPECT_EQ(largest, 16) << split;
  }
}

TEST(Digits, ClassesAreBalancedAlike) {
  EXPECT_THAT(countsOfDigits("train", 1437), testing::ElementsAre(142, 145, 142, 146, 145, 146, 145, 143, 139, 144));
  EXPECT_THAT(countsOfDigits("t10k", 360), testing::ElementsAre(36, 37, 35, 37, 36, 36, 36, 36, 35, 36));
}

TEST(Digits, NoImageIsInBothSets) {
  auto train = images("train", 1437), test = images("t10k", 360);
  std::set<std::string> seen(train.begin(), train.end());
  for (const std::string &image : test)
    EXPECT_FALSE(seen.count(image));
}

} // namespace
