// Questions: y, n and s answer the question at hand, and lead to the next one.

const questions = [...document.querySelectorAll("[data-question]")];
let current = 0;

function goTo(number) {
  current = number;
  const goal = questions[current] ?? document.querySelector(".say-bar button");
  goal?.focus();
  goal?.scrollIntoView({ block: "center" });
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || current >= questions.length) return;
  const answer = questions[current].querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
  if (answer === null) return;
  answer.checked = true;
  goTo(current + 1);
});

for (const [number, question] of questions.entries()) {
  question.addEventListener("focusin", () => {
    current = number;
  });
}
