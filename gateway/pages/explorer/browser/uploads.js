// A file chooser for every Upload in the operation's variables.

/** How many levels of nested input objects are searched for an Upload. */
const MAX_LEVELS = 5;

/** @param {HTMLElement} panel */
export function createUploads(panel) {
  const inputs = new Map();
  let query = '';
  let schema;

  // A chosen file stays as long as the operation has its variable.
  const show = () => {
    const places = placesIn(query, schema);
    for (const [path, { label }] of inputs) {
      if (places.has(path)) continue;
      label.remove();
      inputs.delete(path);
    }
    for (const [path, multiple] of places) {
      if (inputs.has(path)) continue;
      const label = document.createElement('label');
      const name = document.createElement('span');
      name.textContent = `$${path}`;
      const input = Object.assign(document.createElement('input'), { type: 'file', multiple });
      label.append(name, input);
      panel.append(label);
      inputs.set(path, { label, input, multiple });
    }
    panel.hidden = inputs.size === 0;
  };

  return {
    useQuery(next) {
      query = next;
      show();
    },
    useSchema(next) {
      schema = next;
      show();
    },

    /** The files by their path in the variables: `file`, `input.image`, `input.images.0`. */
    chosenFor(operation) {
      const files = new Map();
      for (const [path, { input, multiple }] of inputs) {
        if (!operation.query.includes(`$${path.split('.')[0]}`)) continue;
        for (const [index, file] of [...input.files].entries())
          files.set(multiple ? `${path}.${index}` : path, file);
      }
      return files;
    },
  };
}

/** The path of each Upload in the variables, and whether it is a list. */
function placesIn(query, schema) {
  const places = new Map();
  for (const [, variable, list, typeName] of query.matchAll(/\$(\w+)\s*:\s*(\[?)\s*(\w+)/g))
    collect(places, variable, typeName, list !== '', schema, 0);
  return places;
}

function collect(places, path, typeName, isList, schema, level) {
  if (typeName === 'Upload') places.set(path, isList);
  const type = schema?.getType(typeName);
  const isInputObject = type && 'isOneOf' in type;
  if (!isInputObject || isList || level === MAX_LEVELS) return;
  for (const [name, field] of Object.entries(type.getFields())) {
    const written = String(field.type);
    const inner = written.replaceAll(/[[\]!]/g, '');
    if (inner !== typeName)
      collect(places, `${path}.${name}`, inner, written.startsWith('['), schema, level + 1);
  }
}
