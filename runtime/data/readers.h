//===- readers.h - what the dataset readers share -------------------------===//
#pragma once

#include "runtime/data/dataset.h"

namespace partyline::runtime {

std::unique_ptr<Dataset> openImageFolder(const std::string &path, Split split, const DatasetShape &expected,
                                         const ManifestPreprocess &preprocess);
bool isImageFolder(const std::string &path);
bool imageFolderHasSplit(const std::string &path, Split split);

std::unique_ptr<Dataset> openIdx(const std::string &path, Split split, const DatasetShape &expected,
                                 const ManifestPreprocess &preprocess);
bool isIdxFolder(const std::string &path);
bool idxHasSplit(const std::string &path, Split split);

std::unique_ptr<Dataset> openNpy(const std::string &path, Split split, const DatasetShape &expected,
                                 const ManifestPreprocess &preprocess);
/// Whether `path` is a comma-separated list of arrays (of whatever number: a wrong one is an error when opened).
bool isNpyList(const std::string &path);
bool npyHasSplit(const std::string &path, Split split);

/// "3x32x32".
std::string shapeText(const std::vector<int64_t> &shape);

/// Throws an Error naming the file unless samples of shape `found` can be given to the model: extents of one aside the
/// shapes are the same, or the model takes a flat vector of as many elements.
void checkSampleShape(const std::vector<int64_t> &found, const std::vector<int64_t> &expected, const std::string &file);

/// Throw an Error naming sample and file where a label or a target is none that the model takes.
void checkLabel(int64_t label, const DatasetShape &expected, int64_t sample, const std::string &file);
void checkTarget(float target, const DatasetShape &expected, int64_t sample, const std::string &file);

} // namespace partyline::runtime
