// GraphiQL does not export its editors; Monaco's own interface (`globalAPI`) finds them by the names of their files.

/** Waits until GraphiQL has created its editors. */
export async function connectEditors() {
  const query = await modelOf('operation.graphql');
  const variables = await modelOf('variables.json');
  const headers = await modelOf('request-headers.json');
  let authorization = '';
  const given = new Set(['']); // values that this module has filled in; only these may be replaced, never the user's

  const write = (parsed, value) => {
    const name = nameIn(parsed) ?? 'Authorization';
    if (parsed[name] !== value)
      headers.setValue(`${JSON.stringify({ ...parsed, [name]: value }, null, 2)}\n`);
  };
  const fill = () => {
    const parsed = headersIn(headers.getValue());
    if (parsed && given.has(parsed[nameIn(parsed)])) write(parsed, authorization);
  };
  // A new tab, or an entry of the history that the user opens, has an empty Authorization, too.
  headers.onDidChangeContent(() => queueMicrotask(fill));

  return {
    onQuery(listener) {
      query.onDidChangeContent(() => listener(query.getValue()));
      listener(query.getValue());
    },

    /** After a log-in: replaces any value. @returns false if the headers are not valid JSON; they stay as they are */
    authorizeAs(value) {
      authorization = value;
      given.add(value);
      const parsed = headersIn(headers.getValue());
      if (parsed) write(parsed, value);
      return parsed !== undefined;
    },

    /** After a renewal or a log-out: replaces values of this module only, not what the user typed or removed. */
    reauthorize(value) {
      authorization = value;
      given.add(value);
      fill();
    },

    /** Opens an operation in a new tab. */
    async open(example) {
      document.querySelector('.graphiql-tab-add')?.click();
      await nextPaint();
      query.setValue(example.query);
      variables.setValue(example.variables ?? '');
      document.querySelector('.graphiql-query-editor .graphiql-editor')?.focus();
    },
  };
}

async function modelOf(fileName) {
  for (;;) {
    const found = globalThis.monaco?.editor.getModels().find(({ uri }) => uri.path.endsWith(fileName));
    if (found) return found;
    await nextPaint();
  }
}

// A timer, too, because a page in the background is not painted.
const nextPaint = () =>
  new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, 100); // 0.1 s
  });

const nameIn = (headers) => Object.keys(headers).find((key) => key.toLowerCase() === 'authorization');

function headersIn(text) {
  if (!text.trim()) return {};
  try {
    const parsed = JSON.parse(text);
    return parsed && typeof parsed === 'object' && !Array.isArray(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
