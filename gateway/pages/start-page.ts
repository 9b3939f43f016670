import { readFileSync } from 'node:fs';
import type { Express } from 'express';
import { DEMO_GYMS, DEMO_PASSWORD, DEMO_PEOPLE } from '#server/demo-ids.ts';
import { SERVICE_NAMES, SERVICE_PORTS, type ServiceName } from '#server/settings.ts';
import type { GatewaySettings } from '../settings.ts';

/** `GET /`: where everything is, and (with demo data) who can log in. */
export function mountStartPage(app: Express, settings: GatewaySettings): void {
  const html = page(settings);
  const style = readFileSync(new URL('start-page.css', import.meta.url), 'utf8');
  app.get('/', (_req, res) => void res.type('html').send(html));
  app.get('/start-page.css', (_req, res) => void res.type('css').send(style));
}

const PURPOSE: Record<ServiceName, string> = {
  identity: 'accounts, log-in, roles, check-in codes',
  gym: 'branding, locations, check-ins, challenges, posts',
  wizard: 'onboarding of gyms and members, step by step',
  nutrition: 'food analysis and food log',
  content: 'workouts, exercises, products',
  squad: 'who is online, training together live',
};

const page = (settings: GatewaySettings): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Fitness platform</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="start-page.css">
</head>
<body>
<main>
<header>
<h1>Fitness platform</h1>
<p>Six services, one graph. This is the gateway.</p>
</header>
<section>
<h2>The graph</h2>
<p><a class="button" href="explorer">Open the explorer</a> <code>POST /graphql</code></p>
</section>
<section>
<h2>The services</h2>
<table>
<thead><tr><th>Service</th><th>For</th><th>REST</th><th>Description</th><th>Health</th><th>Own port</th></tr></thead>
<tbody>
${SERVICE_NAMES.map(serviceRow).join('\n')}
</tbody>
</table>
<p>The gateway itself: <a href="health/ready">health</a>, <a href="metrics">metrics</a>.</p>
</section>
${settings.demo ? demoSection() : ''}
</main>
</body>
</html>
`;

const serviceRow = (name: ServiceName): string =>
  `<tr><th scope="row">${name}</th><td>${PURPOSE[name]}</td><td><a href="${name}/docs">try it</a></td><td><a href="${name}/openapi.json">OpenAPI</a></td><td><a href="${name}/health/ready">health</a></td><td>${SERVICE_PORTS[name]}</td></tr>`;

const demoSection = (): string => `<section>
<h2>Demo accounts</h2>
<p>Password of all: <code>${DEMO_PASSWORD}</code></p>
<table>
<thead><tr><th>Email</th><th>Name</th><th>Role</th><th>Gym</th></tr></thead>
<tbody>
${DEMO_PEOPLE.map(({ email, displayName, role, gymId }) => `<tr><th scope="row"><code>${email}</code></th><td>${displayName}</td><td>${role}</td><td>${Object.values(DEMO_GYMS).find((gym) => gym.id === gymId)?.name ?? 'every gym'}</td></tr>`).join('\n')}
</tbody>
</table>
</section>`;
