"""
    DiffSimError(status, message)

A call of the library failed. `status` is the name of its status, such as `:DS_ERR_PARSE`. `message` names the argument, the
expected value and the given value. Every object is unchanged and can be used as before.
"""
struct DiffSimError <: Exception
    status::Symbol
    message::String
end

Base.showerror(io::IO, e::DiffSimError) = print(io, e.status, ": ", e.message)

function check(status)
    status == LibDiffSim.DS_OK && return nothing
    name = Symbol(unsafe_string(LibDiffSim.ds_status_name(status)))
    throw(DiffSimError(name, unsafe_string(LibDiffSim.ds_last_error())))
end

"An array of Float64 in one piece, whose memory the library reads or writes."
const Buffer = Union{StridedArray{Float64}, Base.ReinterpretArray{Float64}}

"""
Checks that an argument has the wanted size (a length, or rows and columns) and lies in one piece; returns it.
"""
function sized(x, name, wanted...)
    x isa Buffer || throw(ArgumentError("$name: expected an array of Float64, got $(typeof(x))"))
    if length(wanted) == 1 ? length(x) != wanted[1] : size(x) != wanted
        throw(DimensionMismatch("$name: expected $(join(wanted, "×")) numbers, got $(join(size(x), "×"))"))
    end
    piece = stride(x, 1) == 1 && (ndims(x) < 2 || size(x, 2) == 1 || stride(x, 2) == size(x, 1))
    piece || throw(ArgumentError("$name: expected an array in one piece, got a view with gaps"))
    x
end

"As [`sized`](@ref), for an argument that may be `nothing`: the library's NULL."
optional(x, name, wanted...) = x === nothing ? C_NULL : sized(x, name, wanted...)

"The handle of an object, or an error for one that was freed."
function handle(x)
    x.handle == C_NULL && throw(ArgumentError("this $(nameof(typeof(x))) was freed"))
    x.handle
end
