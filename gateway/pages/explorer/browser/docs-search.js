// The search in the descriptions and names of the schema.

const MAX_FOUND = 40;

/** @param {HTMLElement} panel the popover with an input, a status line and a list */
export function createDocsSearch(panel) {
  const [input, state, list] = ['input', '[role=status]', 'ul'].map((selector) =>
    panel.querySelector(selector),
  );
  let entries = [];

  const show = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = words.length === 0 ? [] : ranked(entries, words);
    list.replaceChildren(...found.slice(0, MAX_FOUND).map(item));
    state.textContent = messageFor(words, found.length, entries.length);
  };
  input.addEventListener('input', show);

  return {
    useSchema(schema) {
      entries = schema ? entriesOf(schema) : [];
      show();
    },
  };
}

function messageFor(words, found, all) {
  if (all === 0) return 'The schema has not been read. If only admins may read it, log in as an admin.';
  if (words.length === 0) return `Searches ${all} names and their descriptions.`;
  if (found === 0) return 'Nothing found.';
  return found > MAX_FOUND ? `${found} found; the first ${MAX_FOUND} are shown.` : `${found} found.`;
}

/** Types, fields, arguments and enum values, without those of introspection. */
function entriesOf(schema) {
  return Object.values(schema.getTypeMap())
    .filter(({ name }) => !name.startsWith('__'))
    .flatMap((type) => [entry(type.name, kindOf(type), type), ...membersOf(type)]);
}

function membersOf(type) {
  if (type.getValues) return type.getValues().map((value) => entry(`${type.name}.${value.name}`, '', value));
  return Object.values(type.getFields?.() ?? {}).map((field) => {
    const args = (field.args ?? []).map((arg) => `${arg.name}: ${arg.type}`);
    const signature = `${args.length > 0 ? `(${args.join(', ')})` : ''}: ${field.type}`;
    const details = (field.args ?? []).map(({ name, description }) => `${name}: ${description ?? ''}`);
    return entry(`${type.name}.${field.name}`, signature, field, details);
  });
}

const kindOf = (type) =>
  (type.astNode?.kind ?? type.constructor.name).replaceAll(/GraphQL|TypeDefinition/g, '');

function entry(name, signature, { description, deprecationReason }, details = []) {
  const texts = [description, deprecationReason && `Deprecated: ${deprecationReason}`, ...details];
  const text = texts.filter(Boolean).join('\n');
  return { name, signature, text, lowerName: name.toLowerCase(), lowerText: text.toLowerCase() };
}

/** Entries with all words; those with a word in the name first, and among them the shorter names. */
const ranked = (entries, words) =>
  entries
    .filter(({ lowerName, lowerText }) =>
      words.every((word) => lowerName.includes(word) || lowerText.includes(word)),
    )
    .map((found) => ({ found, hits: words.filter((word) => found.lowerName.includes(word)).length }))
    .toSorted((a, b) => b.hits - a.hits || a.found.name.length - b.found.name.length)
    .map(({ found }) => found);

function item({ name, signature, text }) {
  const row = document.createElement('li');
  const title = document.createElement('code');
  title.textContent = name + (signature.startsWith('(') || signature.startsWith(':') ? signature : '');
  const description = document.createElement('p');
  description.textContent = text;
  row.append(title, description);
  return row;
}
