// The menu of examples above the editor.

/** Calls `onChoice` with each chosen example, and resets the menu. */
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
