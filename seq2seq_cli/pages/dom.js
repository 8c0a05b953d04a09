"use strict";
// Building the page. Text of users reaches it by text nodes and attributes alone, never as HTML.

const [POINT, CLICK] = matchMedia("(pointer: coarse)").matches ? ["Tap", "Tap"] : ["Point at", "Click"];

/** An element with its attributes (`onclick` and the like are listeners) and its children: elements and texts. */
function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.startsWith("--")) element.style.setProperty(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** A text in its own direction, whatever stands around it; \u2205 for an empty token. */
const bdi = (text) => el("bdi", {}, text || "\u2205");

/** A table; of the first column, each cell is the head of its row. */
function table(titles, rows, attributes = {}) {
  const head = el("tr", {}, ...titles.map((title) => el("th", { scope: "col" }, title)));
  const row = ([first, ...cells]) =>
    el("tr", {}, el("th", { scope: "row" }, first), ...cells.map((cell) => el("td", {}, cell)));
  return scrolling(el("table", attributes, el("thead", {}, head), el("tbody", {}, ...rows.map(row))), titles[0]);
}

/** A box in which a wide element scrolls, by the keyboard too; it says so where the element is too wide. */
function scrolling(element, label) {
  const told = el("p", { class: "note", hidden: true }, "\u2194 scrolls to the side");
  const box = el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label || "table" }, element);
  new ResizeObserver(() => (told.hidden = box.scrollWidth <= box.clientWidth)).observe(box);
  return el("div", {}, told, box);
}

/** A part of the page that is opened by its summary; what it shows is made when it is opened first. */
function fold(summary, make, open = false) {
  const fill = () => {
    if (box.open && box.children.length === 1) box.append(make());
  };
  const box = el("details", { open, ontoggle: fill }, el("summary", {}, summary));
  fill();
  return box;
}

/** A button that switches something on and off. */
function toggle(label, pressed, onchange) {
  const onclick = ({ currentTarget: button }) => {
    const now = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(now));
    onchange(now);
  };
  return el("button", { "aria-pressed": String(pressed), onclick }, label);
}

/** A choice of one of several names; its value is the number of the name. */
function choice(names, onchange) {
  return el("select", { onchange }, ...names.map((name, value) => el("option", { value }, name)));
}

/** Fill the page: its parts below its title, if it has one, and buttons that change the size of all, for a projector. */
function fillPage(title, ...parts) {
  let size = 1;
  const button = (label, text, factor) => el("button", { "aria-label": label, title: label, onclick: () => {
    size = Math.min(4, Math.max(0.5, size * factor));
    document.documentElement.style.setProperty("--size", size);
  } }, text);
  const sizes = el("div", { class: "size", role: "group", "aria-label": "Size" },
    button("Smaller", "A\u2212", 1 / 1.2), button("Larger", "A+", 1.2));
  const heading = title ? [el("header", {}, el("h1", {}, title), sizes)] : [];
  document.body.append(...heading, el("main", {}, ...parts));
}

const counted = (number) => number.toLocaleString("en");

function percent(probability) {
  const value = 100 * probability;
  return `${value < 0.95 ? value.toFixed(1) : Math.round(value)} %`;
}
