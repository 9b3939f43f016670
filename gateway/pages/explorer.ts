import type { Express } from 'express';
import { ruruHTML, type RuruClientConfig } from 'ruru/server';
import { serveStatic } from 'ruru/static';

const STATIC = '/explorer/assets/';

/** GraphiQL at `GET /explorer`, served from its package: nothing is loaded from another host. */
export function mountExplorer(app: Express): void {
  app.use(serveStatic(STATIC));
  app.get('/explorer', (_req, res) => {
    // The editor starts its workers from blobs and its page by inline scripts.
    res.setHeader(
      'Content-Security-Policy',
      "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; style-src 'self' 'unsafe-inline'; worker-src 'self' blob:; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self' ws: wss:",
    );
    res.type('html').send(
      ruruHTML({
        staticPath: STATIC,
        endpoint: '/graphql',
        htmlParts: { titleTag: '<title>Explorer - fitness platform</title>' },
        clientConfig: CLIENT,
      }),
    );
  });
}

const FIRST_QUERY = `# Everything about you, in one operation over five services.
# Log in first:  mutation { login(input: { email: "maya@iron.test", password: "demo-password-1" }) { token } }
# and put "Bearer <token>" into the headers below.
query Home {
  me {
    displayName
    role
    gym { name config { theme features } locations { name capacity occupancy { people level } } }
    nutritionDay { totals { calories } }
    presence { online }
  }
  workouts(first: 3) { nodes { title difficulty } }
}
`;

// All of its fields are optional; the package that types them is left out of the install, being most of its size.
const CLIENT = {
  isHeadersEditorEnabled: true,
  initialHeaders: '{\n  "Authorization": ""\n}\n',
  initialQuery: FIRST_QUERY,
  showPersistHeadersSettings: true,
} as RuruClientConfig;
