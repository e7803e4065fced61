//===- jpeg.cpp - decoding with libjpeg -----------------------------------===//
//
// The same pixels on every CPU: the slow integer transform and fancy upsampling are bit-exact in all of
// libjpeg-turbo's SIMD variants; smoothing between blocks, which only partial progressive files see, is off.
//
//===----------------------------------------------------------------------===//
#include "runtime/data/image.h"
#include "runtime/shared/error.h"

#include <csetjmp>
#include <cstdio>
// These two want <cstdio> before them.
#include <jerror.h>
#include <jpeglib.h>

namespace partyline::runtime {

namespace {

/// libjpeg reports errors by a callback that must not return. It jumps back into the member function below that called
/// libjpeg; these functions hold no objects with destructors.
struct ErrorManager {
  jpeg_error_mgr base; ///< first: libjpeg hands out a pointer to it
  std::jmp_buf jump;
  char message[JMSG_LENGTH_MAX];
};

[[noreturn]] void onError(j_common_ptr info) {
  ErrorManager *manager = reinterpret_cast<ErrorManager *>(info->err);
  manager->base.format_message(info, manager->message);
  std::longjmp(manager->jump, 1);
}

/// Warnings mean lost pixels and are errors, but for stray bytes between markers and odd headers.
void onMessage(j_common_ptr info, int level) {
  int code = info->err->msg_code;
  bool isHarmless = code == JWRN_EXTRANEOUS_DATA || code == JWRN_ADOBE_XFORM || code == JWRN_JFIF_MAJOR;
  if (level < 0 && !isHarmless)
    onError(info);
}

void onOutput(j_common_ptr) {}

class JpegDecoder : public ImageDecoder {
public:
  explicit JpegDecoder(const std::string &bytes) : bytes(bytes) {
    info.err = jpeg_std_error(&manager.base);
    manager.base.error_exit = onError;
    manager.base.emit_message = onMessage;
    manager.base.output_message = onOutput;
  }

  ~JpegDecoder() override { jpeg_destroy_decompress(&info); }

  Header start() override {
    if (!readHeader())
      throw inputError(manager.message);
    return {{info.image_height, info.image_width},
            info.out_color_space == JCS_GRAYSCALE ? 1
            : info.out_color_space == JCS_RGB     ? 3
                                                  : 4};
  }

  void finish(uint8_t *pixels) override {
    if (!readPixels(pixels))
      throw inputError(manager.message);
    // Without Adobe's marker CMYK means ink; with it (in practice always) the values are inverted already.
    if (info.out_color_space == JCS_CMYK && !info.saw_Adobe_marker)
      for (int64_t i = 0; i < int64_t(info.image_height) * info.image_width * 4; ++i)
        pixels[i] = 255 - pixels[i];
  }

private:
  bool readHeader() {
    if (setjmp(manager.jump))
      return false;
    jpeg_create_decompress(&info);
    jpeg_mem_src(&info, reinterpret_cast<const unsigned char *>(bytes.data()), bytes.size());
    jpeg_read_header(&info, TRUE);
    if (info.jpeg_color_space == JCS_GRAYSCALE)
      info.out_color_space = JCS_GRAYSCALE;
    else if (info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK)
      info.out_color_space = JCS_CMYK;
    else
      info.out_color_space = JCS_RGB;
    info.dct_method = JDCT_ISLOW;
    info.do_fancy_upsampling = TRUE;
    info.do_block_smoothing = FALSE;
    return true;
  }

  bool readPixels(uint8_t *pixels) {
    if (setjmp(manager.jump))
      return false;
    jpeg_start_decompress(&info);
    size_t rowBytes = size_t(info.output_width) * info.output_components;
    while (info.output_scanline < info.output_height) {
      JSAMPROW row = pixels + info.output_scanline * rowBytes;
      jpeg_read_scanlines(&info, &row, 1);
    }
    jpeg_finish_decompress(&info);
    return true;
  }

  const std::string &bytes;
  jpeg_decompress_struct info = {};
  ErrorManager manager = {};
};

} // namespace

bool isJpeg(const std::string &bytes) { return bytes.starts_with("\xff\xd8\xff"); }

std::unique_ptr<ImageDecoder> makeJpegDecoder(const std::string &bytes) { return std::make_unique<JpegDecoder>(bytes); }

} // namespace partyline::runtime
