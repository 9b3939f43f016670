// The menu of examples in the bar.

/** Calls back with the example that is chosen; the menu is then ready for the next. */
export function showExamples(examples, onChoice) {
  const select = document.getElementById('example');
  for (const [index, { title }] of examples.entries()) select.add(new Option(title, String(index)));
  select.addEventListener('change', () => {
    const example = examples[Number(select.value)];
    select.value = '';
    if (example) onChoice(example);
  });
  document.getElementById('example-choice').hidden = false;
}
