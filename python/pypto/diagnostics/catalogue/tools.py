# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""PTO-80xx: tools and their files."""

from .entry import Entry, shell

K = """\
module attributes {pto.target = "910B"} {
  func.func @k(%x: tensor<8x8xf32> {pto.dir = #pto.dir<inout>}, %n: f32) -> tensor<8x8xf32>
      attributes {pto.kind = #pto.kind<in_core>} {
    %r = pto.tensor.add %x, %x : tensor<8x8xf32>
    return %r : tensor<8x8xf32>
  }
}
"""
ENTRIES = [
    Entry(
        8001,
        "An option of a tool",
        (
            "unknown option",
            "needs a value",
            "--seed takes",
            "takes a positive number",
            "--checks:",
            "--dump-space takes",
            "--save names more",
            "one module is run",
            "no module given",
            "a number of steps is wanted",
            "-o takes a file",
            "the following arguments are required",
            "unrecognized arguments",
            "there are several functions to run",
            "there is no function to run",
            "there is no pass '",
            "the module has several functions",
        ),
        "The tool has no such option, or not this value of it.",
        "`--help` lists the options.",
        shell("pypto-run kernel.mlir --seed=x", K),
    ),
    Entry(
        8002,
        "A file in NumPy's format",
        (
            "not a .npy file",
            "the file is cut off",
            "element type '",
            "is stored column by column",
            "the header has no shape",
            "the array is too large",
        ),
        "The file is damaged, or its elements are of a type that kernels do not take.",
        "Write it with `numpy.save` of a contiguous array of the parameter's type.",
        shell("pypto-run kernel.mlir --args kernel.mlir 1", K),
    ),
    Entry(
        8003,
        "What a tool gives a function",
        (
            "has no shape such as",
            "the shape of an array of",
            "'out' of",
            "is no … number",
            "argument_",
            "^argument … of '",
            "pypto-run: '…' takes",
            "has no fixed shape; give it as",
        ),
        "The arguments on the command line are not those that the function takes.",
        "Give a `.npy` file or `out` for an array, a number for a scalar.",
        shell("pypto-run kernel.mlir --entry k --args out two", K),
    ),
    Entry(
        8004,
        "A function that the module does not have",
        ("the module has no function", "there is no function '"),
        "No function of the module has this name.",
        "`--entry` takes a function of the module.",
        shell("pypto-run kernel.mlir --entry nothing", K),
    ),
    Entry(
        8005,
        "A file that is damaged, or not there",
        (
            "cannot open",
            "No such file",
            "is missing; install pypto again",
            "is not what 'pypto-run --profile' writes",
        ),
        "The file cannot be read, or holds something else.",
        "Give the file that the tool wrote.",
        shell("python -m pypto.tools.profile kernel.mlir", "{}"),
    ),
]
