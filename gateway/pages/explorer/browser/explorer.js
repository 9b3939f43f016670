// The page: GraphiQL as ruru packs it, with our transport below it and our bar above it.
import { createRoot, React, Ruru } from '../graphiql/ruru.js';
import { connectEditors } from './editors.js';
import { EXAMPLES } from './examples.js';
import { showExamples } from './example-choice.js';
import { notify, showLogIn } from './log-in.js';
import { createSession } from './session.js';
import { storageWithoutTokens } from './storage.js';
import { createTransport } from './transport.js';
import { createUploads } from './uploads.js';

const settings = JSON.parse(document.getElementById('settings').textContent);
const graphUrl = new URL('graphql', document.baseURI).href;
const asset = (name) => new URL(`explorer/graphiql/${name}`, document.baseURI);

const WORKERS = { json: 'jsonWorker.js', graphql: 'graphqlWorker.js' };
globalThis.MonacoEnvironment = {
  globalAPI: true, // as `monaco`: the way to the editors from outside of GraphiQL
  getWorker: (_id, language) => new Worker(asset(WORKERS[language] ?? 'editorWorker.js'), { type: 'module' }),
};

const session = createSession(graphUrl);
const uploads = createUploads(document.getElementById('files'));
let schema;

createRoot(document.getElementById('graphiql')).render(
  React.createElement(Ruru, {
    endpoint: graphUrl,
    fetcher: createTransport(graphUrl, { session, uploads }),
    storage: storageWithoutTokens(localStorage),
    isHeadersEditorEnabled: true,
    showPersistHeadersSettings: true,
    defaultEditorToolsVisibility: 'headers',
    defaultHeaders: '{\n  "Authorization": ""\n}\n',
    defaultQuery: settings.isOurs ? EXAMPLES[0].query : '{ __typename }\n',
    onSchemaChange(loaded) {
      schema = loaded;
      uploads.useSchema(schema);
    },
  }),
);

const editors = await connectEditors();
editors.onQuery((query) => uploads.useQuery(query));
await openAddress();
if (settings.isOurs) {
  showExamples(EXAMPLES, (example) => editors.open(example));
  showLogIn(session, settings);
  session.onChange((change) => {
    if (change !== 'log-in') editors.reauthorize(session.authorization());
    else if (!editors.authorizeAs(session.authorization()))
      notify(
        'The headers are no valid JSON, so the token could not be filled in. Correct them and log in again.',
      );
    // Where only admins may read the schema, it was refused before; this is the key that GraphiQL reads it again by.
    if (!schema && session.user)
      window.dispatchEvent(new KeyboardEvent('keydown', { ctrlKey: true, key: 'R' }));
  });
}

/** `/explorer?query=...&variables=...`, where `GET /graphql` leads a browser: filled in, and run only by a person. */
async function openAddress() {
  const { searchParams } = new URL(location.href);
  const query = searchParams.get('query');
  if (query === null) return;
  await editors.open({ query, variables: searchParams.get('variables') ?? '' });
  // Another visit of the page must not open it once more.
  history.replaceState(null, '', location.pathname);
}
