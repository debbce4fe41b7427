// Small helpers that make elements. Text is always text: nothing is ever parsed as HTML.

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "class") made.className = value;
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

export function list(items) {
  return element("ul", { class: "plain" }, ...items.map((item) => element("li", {}, ...item)));
}

export function code(text) {
  return element("code", {}, text);
}

export function pathText(path, loopStart) {
  const text = path.join(" → ");
  return loopStart === null ? text : `${text}, and on from ${path[loopStart]}, for ever`;
}
