// A search for the name of a function, a type or a method shows first where it is described.
// Words with blanks count as the name with underscores, or of a method with its class: "mass matrix", "sim step".

/** The name that was typed, as it is written, and its address. */
window.diffsimFind = (text) => {
  const typed = text.trim().replace(/\s+/g, " ").replace(/\(\)$/, "");
  const small = typed.toLowerCase();
  // The methods of a C++ class are described with it.
  const ways = [typed, small, small.replaceAll(" ", "_"), small.replace(" ", ".").replaceAll(" ", "_"), small.replace(/::.*$/, "::")];
  const names = window.diffsimNames || {};
  const way = ways.find((name) => Object.hasOwn(names, name));
  return way === undefined ? undefined : names[way];
};

(() => {
  if (typeof document === "undefined") return;
  const list = () => document.querySelector(".md-search-result__list");
  const input = document.querySelector(".md-search__input");
  const base = new URL(JSON.parse(document.getElementById("__config").textContent).base + "/", location.href);
  if (!input) return;

  function show() {
    const typed = input.value.trim();
    const found = window.diffsimFind(typed);
    const [old, parent] = [document.getElementById("named"), list()];
    if (!parent || !found) return old?.remove();
    if (old?.dataset.name === typed && parent.firstElementChild === old) return undefined;
    old?.remove();
    const item = document.createElement("li");
    item.id = "named";
    item.dataset.name = typed;
    item.className = "md-search-result__item";
    const link = document.createElement("a");
    link.className = "md-search-result__link";
    link.href = new URL(found[1], base).href;
    const article = document.createElement("article");
    article.className = "md-search-result__article md-typeset";
    article.append(document.createElement("h1"), document.createElement("p"));
    article.firstChild.textContent = found[0];
    article.lastChild.textContent = "where it is described";
    link.append(article);
    item.append(link);
    parent.prepend(item);
    return undefined;
  }

  input.addEventListener("input", show);
  input.addEventListener("focus", show);
  // The search writes its list some time after a key.
  new MutationObserver(show).observe(document.querySelector(".md-search"), { childList: true, subtree: true });
  show();
})();
