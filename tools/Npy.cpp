//===- Npy.cpp - Arrays in NumPy's file format --------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Npy.h"

#include "Pto/Pto.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::pto;

static constexpr llvm::StringLiteral kMagic("\x93NUMPY");

static llvm::Error fileError(const llvm::Twine &path, const llvm::Twine &why) {
  return llvm::createStringError(path + ": " + why);
}

/// The text behind `'key':` in the header, a Python dictionary.
static StringRef getField(StringRef header, StringRef key) {
  size_t at = header.find(("'" + key + "':").str());
  return at == StringRef::npos ? "" : header.drop_front(at + key.size() + 3).ltrim();
}

static Type getType(StringRef descr, MLIRContext *context) {
  if (descr == "<f2")
    return Float16Type::get(context);
  if (descr == "<f4")
    return Float32Type::get(context);
  // The sign of an integer is the program's business.
  if (descr == "|i1" || descr == "|u1" || descr == "|b1")
    return IntegerType::get(context, 8);
  for (unsigned bytes : {2, 4, 8})
    if (descr == "<i" + std::to_string(bytes) || descr == "<u" + std::to_string(bytes))
      return IntegerType::get(context, 8 * bytes);
  if (descr == "<V2" || descr == "|V2" || descr == "bfloat16")
    return BFloat16Type::get(context);
  return {};
}

static bool parseShape(StringRef text, SmallVectorImpl<int64_t> &shape) {
  if (!text.consume_front("("))
    return false;
  text = text.take_until([](char c) { return c == ')'; });
  SmallVector<StringRef> dims;
  text.split(dims, ',');
  for (StringRef dim : dims) {
    int64_t value;
    if (dim.trim().empty())
      continue;
    if (dim.trim().getAsInteger(10, value) || value < 0 || value > (int64_t(1) << 40))
      return false;
    shape.push_back(value);
  }
  return true;
}

llvm::Expected<NpyArray> pto::readNpy(StringRef path, MLIRContext *context) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file)
    return fileError(path, file.getError().message());
  StringRef data = (*file)->getBuffer();
  if (!data.starts_with(kMagic) || data.size() < 12)
    return fileError(path, "not a .npy file");
  bool isLong = data[6] >= 2;
  size_t begin = isLong ? 12 : 10;
  size_t length = isLong ? llvm::support::endian::read32le(data.data() + 8)
                         : llvm::support::endian::read16le(data.data() + 8);
  if (begin + length > data.size())
    return fileError(path, "the file is cut off");
  StringRef header = data.substr(begin, length);
  NpyArray array;
  StringRef descr = getField(header, "descr");
  descr = descr.drop_front(descr.starts_with("'")).take_until([](char c) { return c == '\''; });
  array.elementType = getType(descr, context);
  if (!array.elementType)
    return fileError(path,
                     "element type '" + descr +
                         "' is not supported; use float16, bfloat16 (<V2), float32 or integers");
  if (getField(header, "fortran_order").starts_with("True"))
    return fileError(path,
                     "the array is stored column by column; save numpy.ascontiguousarray of it");
  if (!parseShape(getField(header, "shape"), array.shape))
    return fileError(path, "the header has no shape");
  int64_t size = array.elementType.getIntOrFloatBitWidth() / 8;
  for (int64_t dim : array.shape)
    if (__builtin_mul_overflow(size, dim, &size))
      return fileError(path, "the array is too large");
  StringRef body = data.drop_front(begin + length);
  if (static_cast<int64_t>(body.size()) < size)
    return fileError(path, "the file is cut off");
  array.bytes.assign(body.begin(), body.begin() + size);
  return array;
}

llvm::Error pto::writeNpy(StringRef path, const NpyArray &array) {
  std::string descr = array.elementType.isF16()    ? "<f2"
                      : array.elementType.isBF16() ? "<V2"
                      : array.elementType.isF32()  ? "<f4"
                      : array.elementType.isInteger(8)
                          ? "|i1"
                          : "<i" + std::to_string(getElementBytes(array.elementType));
  std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (";
  for (int64_t dim : array.shape)
    header += std::to_string(dim) + ",";
  header += "), }";
  // Magic, version and length are 10 bytes; the data begins at a multiple of 64.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (error)
    return fileError(path, error.message());
  os << kMagic << '\1' << '\0';
  os << static_cast<char>(header.size() & 255) << static_cast<char>(header.size() >> 8);
  os << header;
  os.write(array.bytes.data(), array.bytes.size());
  os.close();
  if (os.has_error()) {
    std::string message = os.error().message();
    os.clear_error();
    return fileError(path, message);
  }
  return llvm::Error::success();
}
