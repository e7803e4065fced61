//===- image.cpp - formats told by content, colours brought together ------===//
#include "runtime/data/image.h"

#include "runtime/shared/error.h"

namespace partyline::runtime {

/// The luma of ITU-R BT.601 in 16-bit fixed point, rounded: as Pillow's convert("L").
static uint8_t grey(int red, int green, int blue) { return (red * 19595 + green * 38470 + blue * 7471 + 0x8000) >> 16; }

/// x * y / 255 for bytes, rounded.
static uint8_t scaled(int x, int y) { return (x * y + 127) / 255; }

static void convert(const uint8_t *from, int64_t samples, int64_t count, int64_t channels, uint8_t *to) {
  for (int64_t i = 0; i < count; ++i, from += samples, to += channels) {
    if (samples == 1) {
      for (int64_t c = 0; c < channels; ++c)
        to[c] = from[0];
      continue;
    }
    uint8_t rgb[3] = {from[0], from[1], from[2]};
    if (samples == 4)
      for (uint8_t &value : rgb)
        value = scaled(value, from[3]);
    if (channels == 1)
      to[0] = grey(rgb[0], rgb[1], rgb[2]);
    else
      for (int64_t c = 0; c < 3; ++c)
        to[c] = rgb[c];
  }
}

void decodeImage(const std::string &bytes, const std::string &path, ImageSize size, int64_t channels,
                 std::vector<uint8_t> &pixels) {
  std::unique_ptr<ImageDecoder> decoder;
  if (isJpeg(bytes))
    decoder = makeJpegDecoder(bytes);
  else if (isPng(bytes))
    decoder = makePngDecoder(bytes);
  else
    throw inputError(path + ": is neither a JPEG nor a PNG image by its content: remove or convert it");

  ImageDecoder::Header header;
  thread_local std::vector<uint8_t> decoded;
  try {
    header = decoder->start();
    if (header.size.height == size.height && header.size.width == size.width) {
      decoded.resize(size.height * size.width * header.samples);
      decoder->finish(decoded.data());
    }
  } catch (const Error &error) {
    throw inputError(path + ": the image does not decode (" + error.what() + "): remove or replace it");
  }
  auto text = [](ImageSize s) { return std::to_string(s.width) + "x" + std::to_string(s.height); };
  if (header.size.height != size.height || header.size.width != size.width)
    throw inputError(path + ": the image is " + text(header.size) + " pixels (width x height), but the model takes " +
                     text(size) + ": resize the images first");
  pixels.resize(size.height * size.width * channels);
  convert(decoded.data(), header.samples, size.height * size.width, channels, pixels.data());
}

} // namespace partyline::runtime
