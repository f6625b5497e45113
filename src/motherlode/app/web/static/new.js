// A button that adds a row for another topic.

const form = document.querySelector("#new");
const topics = document.querySelector("#topics");

function addRow() {
  const rows = topics.querySelectorAll(".row");
  const row = rows[rows.length - 1].cloneNode(true);
  const number = rows.length + 1;
  for (const field of row.querySelectorAll("input, textarea")) {
    field.value = "";
    field.textContent = "";
    field.id = `${field.name}-${number}`;
    field.closest("p").querySelector("label").htmlFor = field.id;
  }
  rows[rows.length - 1].after(row);
  row.querySelector("input").focus();
}

if (form !== null) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Another topic";
  button.addEventListener("click", addRow);
  const place = document.createElement("p");
  place.append(button);
  topics.append(place);
}
