//===- png.cpp - decoding with libpng -------------------------------------===//
//
// No gamma, no blending: alpha is dropped and 16 bits become the upper 8, as most training pipelines do it, in integers
// alone.
//
//===----------------------------------------------------------------------===//
#include "runtime/data/image.h"
#include "runtime/shared/error.h"

#include <csetjmp>
#include <cstring>
#include <png.h>

namespace partyline::runtime {

namespace {

/// Text and colour profiles are not used, whatever size they claim to be.
constexpr size_t kLargestChunk = 1 << 20;
constexpr int kMostChunks = 100;

/// As with JPEG: libpng jumps back into readHeader or readPixels, which hold no objects with destructors.
class PngDecoder : public ImageDecoder {
public:
  explicit PngDecoder(const std::string &bytes) : bytes(bytes) {}

  ~PngDecoder() override { png_destroy_read_struct(&png, &info, nullptr); }

  Header start() override {
    png = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, onError, onWarning);
    info = png ? png_create_info_struct(png) : nullptr;
    if (!info)
      throw inputError("out of memory");
    if (!readHeader())
      throw inputError(message);
    return {{png_get_image_height(png, info), png_get_image_width(png, info)}, png_get_channels(png, info)};
  }

  void finish(uint8_t *pixels) override {
    size_t rowBytes = png_get_rowbytes(png, info);
    rows.clear();
    for (png_uint_32 y = 0; y < png_get_image_height(png, info); ++y)
      rows.push_back(pixels + y * rowBytes);
    if (!readPixels())
      throw inputError(message);
  }

private:
  bool readHeader() {
    if (setjmp(png_jmpbuf(png)))
      return false;
    png_set_chunk_malloc_max(png, kLargestChunk);
    png_set_chunk_cache_max(png, kMostChunks);
    png_set_read_fn(png, this, onRead);
    png_read_info(png, info);
    png_set_palette_to_rgb(png);
    if (png_get_color_type(png, info) == PNG_COLOR_TYPE_GRAY)
      png_set_expand_gray_1_2_4_to_8(png);
    png_set_strip_16(png);
    png_set_strip_alpha(png);
    png_set_interlace_handling(png);
    png_read_update_info(png, info);
    return true;
  }

  bool readPixels() {
    if (setjmp(png_jmpbuf(png)))
      return false;
    png_read_image(png, rows.data());
    png_read_end(png, nullptr);
    return true;
  }

  static void onRead(png_structp png, png_bytep to, size_t count) {
    PngDecoder *self = static_cast<PngDecoder *>(png_get_io_ptr(png));
    if (count > self->bytes.size() - self->position)
      png_error(png, "the file ends too early");
    std::memcpy(to, self->bytes.data() + self->position, count);
    self->position += count;
  }

  [[noreturn]] static void onError(png_structp png, png_const_charp text) {
    PngDecoder *self = static_cast<PngDecoder *>(png_get_error_ptr(png));
    std::strncpy(self->message, text, sizeof self->message - 1);
    png_longjmp(png, 1);
  }

  static void onWarning(png_structp, png_const_charp) {}

  const std::string &bytes;
  size_t position = 0;
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::vector<png_bytep> rows;
  char message[128] = {};
};

} // namespace

bool isPng(const std::string &bytes) { return bytes.starts_with("\x89PNG\r\n\x1a\n"); }

std::unique_ptr<ImageDecoder> makePngDecoder(const std::string &bytes) { return std::make_unique<PngDecoder>(bytes); }

} // namespace partyline::runtime
