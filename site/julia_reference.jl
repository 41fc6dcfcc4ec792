# Writes the docstrings of DiffSim's exported names as Markdown, one heading a name, to standard output.
#
# usage: julia --project=bindings/julia site/julia_reference.jl

using DiffSim

"The docstrings of a name: Julia keeps one for each signature. Those of Base's functions count where DiffSim adds to them."
function docstrings(name)
    binding = Base.Docs.aliasof(getfield(DiffSim, name), Base.Docs.Binding(DiffSim, name))
    meta = Base.Docs.meta(DiffSim)
    haskey(meta, binding) || return String[]
    multi = meta[binding]
    [join(multi.docs[signature].text) for signature in multi.order]
end

# [`save`](@ref) is a link to the heading of that name.
linked(text) = replace(text, r"\[`([^`]*)`\]\(@ref\)" => s"[`\1`](#\1)")

"The indented signature at the start as code."
function marked(text)
    lines = split(strip(text, '\n'), '\n')
    n = something(findfirst(l -> !startswith(l, "    "), lines), length(lines) + 1) - 1
    code = n == 0 ? "" : "```julia\n" * join(chop.(lines[1:n]; head = 4, tail = 0), '\n') * "\n```\n"
    code * linked(join(lines[n+1:end], '\n'))
end

println("# Julia\n")
println(linked(replace(first(docstrings(:DiffSim)), r"^    "m => "    ")), '\n')
for name in names(DiffSim)
    name == :DiffSim && continue
    texts = docstrings(name)
    isempty(texts) && error("$name is exported without a docstring")
    println("## `", name, "` { #", name, " }\n")
    foreach(text -> println(marked(text), '\n'), texts)
end
