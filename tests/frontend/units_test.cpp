//===- tests/frontend/units_test.cpp --------------------------------------===//

#include "frontend/half.h"
#include "frontend/host_range.h"
#include "frontend/units.h"
#include "tests/frontend/test_files.h"

namespace partyline::test {

TEST(Units, Bytes) {
  EXPECT_EQ(parseBytes("512 MB"), 512000000);
  EXPECT_EQ(parseBytes("512MB"), 512000000);
  EXPECT_EQ(parseBytes("2.8 GB"), 2800000000);
  EXPECT_EQ(parseBytes("1 KiB"), 1024);
  EXPECT_EQ(parseBytes("1.5 MiB"), 1572864);
  EXPECT_EQ(parseBytes("2 GiB"), int64_t(1) << 31);
  EXPECT_EQ(parseBytes("3 kB"), 3000);
  EXPECT_EQ(parseBytes("3 KB"), 3000);
  EXPECT_EQ(parseBytes("0 B"), 0);
}

TEST(Units, Bandwidths) {
  EXPECT_DOUBLE_EQ(parseBandwidth("1 Gb/s"), 125e6);
  EXPECT_DOUBLE_EQ(parseBandwidth("14 GB/s"), 14e9);
  EXPECT_DOUBLE_EQ(parseBandwidth("200 Mb/s"), 25e6);
  EXPECT_DOUBLE_EQ(parseBandwidth("8 b/s"), 1);
  EXPECT_DOUBLE_EQ(parseBandwidth("80 kb/s"), 1e4);
}

TEST(Units, Durations) {
  EXPECT_DOUBLE_EQ(parseDuration("100 us"), 100e-6);
  EXPECT_DOUBLE_EQ(parseDuration("1.5 ms"), 1.5e-3);
  EXPECT_DOUBLE_EQ(parseDuration("2s"), 2);
}

TEST(Units, Mistakes) {
  expectError([] { parseBytes("512"); }, kWrongInput, {"'512' has no unit", "512 MB"});
  expectError([] { parseBytes("512 mb"); }, kWrongInput, {"unknown unit 'mb'", "MiB"});
  expectError([] { parseBytes("lots"); }, kWrongInput, {"'lots' is no number"});
  expectError([] { parseBytes("-1 GB"); }, kWrongInput, {"negative"});
  expectError([] { parseBytes("inf GB"); }, kWrongInput, {"no number"});
  expectError([] { parseBytes("1e300 GB"); }, kWrongInput, {"too large"});
  expectError([] { parseBytes("1 GB/s"); }, kWrongInput, {"unknown unit 'GB/s'"});
  expectError([] { parseBandwidth("1 GB"); }, kWrongInput, {"unknown unit 'GB'"});
  expectError([] { parseDuration(""); }, kWrongInput, {"no number"});
}

TEST(HostRange, Expands) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(expandHostRange("phone"), Names{"phone"});
  EXPECT_EQ(expandHostRange("phone[08-10,12]"), (Names{"phone08", "phone09", "phone10", "phone12"}));
  EXPECT_EQ(expandHostRange("10.0.1.[9-11]"), (Names{"10.0.1.9", "10.0.1.10", "10.0.1.11"}));
  EXPECT_EQ(expandHostRange("r[1-2]p[1-2]x"), (Names{"r1p1x", "r1p2x", "r2p1x", "r2p2x"}));
  Names rack = expandHostRange("phone[001-046,050]");
  ASSERT_EQ(rack.size(), 47u);
  EXPECT_EQ(rack.front(), "phone001");
  EXPECT_EQ(rack[45], "phone046");
  EXPECT_EQ(rack.back(), "phone050");
}

TEST(HostRange, Mistakes) {
  for (const char *text : {"p[1-", "p]1[", "p[[1]]", "p[]", "p[1,]", "p[3-1]", "p[a-b]", "p[1-2-3]", "p[01-100]",
                           "p[-1]", "p[1-99999999999999999999]", "p[1-9999999]", "p[1-60000][1-60000]"})
    expectError([&] { expandHostRange(text); }, kWrongInput, {text});
}

TEST(Half, RoundTripsAndRounds) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const bool nan = (bits & 0x7c00) == 0x7c00 && (bits & 0x3ff);
    if (!nan)
      ASSERT_EQ(floatToHalf(halfToFloat(static_cast<uint16_t>(bits))), bits);
    else
      ASSERT_TRUE(std::isnan(halfToFloat(static_cast<uint16_t>(bits))));
  }
  EXPECT_EQ(halfToFloat(0x3c00), 1.0f);
  EXPECT_EQ(halfToFloat(0x0001), 0x1p-24f);
  EXPECT_EQ(floatToHalf(1.0f + 0x1p-11f), 0x3c00); // a tie: to even
  EXPECT_EQ(floatToHalf(1.0f + 0x3p-11f), 0x3c02); // a tie: to even
  EXPECT_EQ(floatToHalf(1.0f + 0x1p-11f + 0x1p-20f), 0x3c01);
  EXPECT_EQ(floatToHalf(65519.0f), 0x7bff);
  EXPECT_EQ(floatToHalf(65520.0f), 0x7c00);
  EXPECT_EQ(floatToHalf(0x1p-26f), 0);
  EXPECT_EQ(bfloat16ToFloat(0x3f80), 1.0f);
  EXPECT_EQ(floatToBfloat16(1.0f + 0x1p-8f), 0x3f80);
  EXPECT_EQ(floatToBfloat16(1.0f + 0x3p-8f), 0x3f82);
}

} // namespace partyline::test
