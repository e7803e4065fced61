//===- image.h - JPEG and PNG to pixels -----------------------------------===//
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace partyline::runtime {

struct ImageSize {
  int64_t height = 0, width = 0;
};

/// A decoder of one file format. start() reads the headers alone, so that a file's size is known before memory is
/// taken for its pixels. Throws an Error, without the file's name, where the data does not decode.
class ImageDecoder {
public:
  virtual ~ImageDecoder() = default;

  struct Header {
    ImageSize size;
    int64_t samples = 0; ///< per pixel in what finish() writes: 1 grey, 3 RGB, 4 inverted CMYK (255 is no ink)
  };

  virtual Header start() = 0;
  virtual void finish(uint8_t *pixels) = 0;
};

bool isJpeg(const std::string &bytes);
bool isPng(const std::string &bytes);
/// The decoder refers to `bytes`.
std::unique_ptr<ImageDecoder> makeJpegDecoder(const std::string &bytes);
std::unique_ptr<ImageDecoder> makePngDecoder(const std::string &bytes);

/// Decodes an image of exactly `size` to interleaved pixels of 1 (grey) or 3 (RGB) channels, converting as needed:
/// alpha is dropped, 16 bits become the upper 8. The format is told by the content. `path` is for messages.
void decodeImage(const std::string &bytes, const std::string &path, ImageSize size, int64_t channels,
                 std::vector<uint8_t> &pixels);

} // namespace partyline::runtime
