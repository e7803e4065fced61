//===- data_files.h - files that the tests of the readers write -----------===//
#pragma once

#include "runtime/shared/error.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <jpeglib.h>
#include <png.h>
#include <sstream>
#include <string>
#include <vector>

namespace partyline::testing {

/// A folder that is gone after the test.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "partyline-test-XXXXXX").native();
    path = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  std::string operator/(const std::string &name) const { return path + "/" + name; }

  std::string path;
};

inline std::string writeFile(const std::string &path, const std::string &bytes) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::filesystem::remove(path); // a file cut to nothing and written again is flushed to disk by ext4: slow in loops
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

inline std::string readFile(const std::string &path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// The body must throw an Error of the given exit code whose message holds all of `parts`.
inline void expectError(const std::function<void()> &body, const std::vector<std::string> &parts,
                        ExitCode exitCode = kWrongInput) {
  try {
    body();
  } catch (const Error &error) {
    EXPECT_EQ(error.exitCode, exitCode) << error.what();
    for (const std::string &part : parts)
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
          << "'" << part << "' is not in: " << error.what();
    return;
  }
  ADD_FAILURE() << "no Error was thrown; expected one about " << (parts.empty() ? "" : parts[0]);
}

struct JpegForm {
  J_COLOR_SPACE given = JCS_RGB; ///< of the pixels: JCS_RGB, JCS_GRAYSCALE, JCS_CMYK
  J_COLOR_SPACE stored = JCS_YCbCr;
  bool progressive = false;
  bool adobeMarker = true; ///< CMYK alone
  int quality = 100;
};

inline std::string encodeJpeg(int width, int height, const std::vector<uint8_t> &pixels, const JpegForm &form) {
  jpeg_compress_struct info;
  jpeg_error_mgr errors;
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char *memory = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &memory, &size);
  info.image_width = width;
  info.image_height = height;
  info.in_color_space = form.given;
  info.input_components = form.given == JCS_GRAYSCALE ? 1 : form.given == JCS_RGB ? 3 : 4;
  jpeg_set_defaults(&info);
  jpeg_set_colorspace(&info, form.stored);
  jpeg_set_quality(&info, form.quality, TRUE);
  info.comp_info[0].h_samp_factor = info.comp_info[0].v_samp_factor = 1;
  if (form.stored == JCS_CMYK)
    info.write_Adobe_marker = form.adobeMarker;
  if (form.progressive)
    jpeg_simple_progression(&info);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    JSAMPROW row = const_cast<uint8_t *>(pixels.data()) + info.next_scanline * width * info.input_components;
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  std::string bytes(reinterpret_cast<char *>(memory), size);
  jpeg_destroy_compress(&info);
  std::free(memory);
  return bytes;
}

struct PngForm {
  int colorType = PNG_COLOR_TYPE_RGB;
  int depth = 8;
  bool interlaced = false;
  std::vector<png_color> palette;
  std::vector<uint8_t> paletteAlpha;
};

/// `rows` as libpng takes them: packed below 8 bits, big-endian at 16.
inline std::string encodePng(int width, int height, const std::vector<uint8_t> &rows, const PngForm &form) {
  std::string bytes;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  auto append = [](png_structp writer, png_bytep from, size_t count) {
    static_cast<std::string *>(png_get_io_ptr(writer))->append(reinterpret_cast<char *>(from), count);
  };
  png_set_write_fn(png, &bytes, append, [](png_structp) {});
  png_set_IHDR(png, info, width, height, form.depth, form.colorType,
               form.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  if (!form.palette.empty())
    png_set_PLTE(png, info, form.palette.data(), form.palette.size());
  if (!form.paletteAlpha.empty())
    png_set_tRNS(png, info, form.paletteAlpha.data(), form.paletteAlpha.size(), nullptr);
  png_write_info(png, info);
  std::vector<png_bytep> pointers;
  for (int y = 0; y < height; ++y)
    pointers.push_back(const_cast<uint8_t *>(rows.data()) + y * png_get_rowbytes(png, info));
  png_write_image(png, pointers.data());
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  return bytes;
}

} // namespace partyline::testing
