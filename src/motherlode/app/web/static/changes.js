// Once the job is over there is nothing to look at again.
document.addEventListener("renewed", (event) => {
  if (event.target.querySelector("#changes[data-over]") !== null) location.reload();
});
