import { fileURLToPath } from 'node:url';
import express, { type Express } from 'express';
import { DEMO_GYMS, DEMO_PASSWORD, DEMO_PEOPLE, demoPerson } from '#server/demo-ids.ts';
import { mountPage } from '#server/http/allowed-methods.ts';
import { SERVICE_NAMES, SERVICE_PORTS, type ServiceName } from '#server/settings.ts';
import type { GatewaySettings } from '../settings.ts';
import { isOwnSupergraph } from '../supergraph/subgraph-urls.ts';
import { graphMapTable } from './graph-map.ts';
import { systemPicture } from './system-picture.ts';

/**
 * `GET /`: links to every page and document, the health of the services, the types of the graph, and the demo accounts.
 * @param supergraph the current SDL
 */
export function mountStartPage(
  app: Express,
  settings: GatewaySettings,
  supergraph: { readonly current: string },
): void {
  let shown: { sdl: string; html: string } | undefined;
  mountPage(app, '/', (_req, res) => {
    const sdl = supergraph.current;
    if (shown?.sdl !== sdl) shown = { sdl, html: page(settings, sdl) };
    res.type('html').send(shown.html);
  });
  app.use(
    '/pages',
    express.static(fileURLToPath(new URL('browser', import.meta.url)), { index: false, redirect: false }),
  );
}

const PURPOSE: Record<ServiceName, string> = {
  identity: 'Accounts, log-in, roles, check-in codes.',
  gym: 'Branding, locations, check-ins, challenges, posts.',
  wizard: 'Onboarding of gyms and members, step by step.',
  nutrition: 'Food analysis and food log.',
  content: 'Workouts, exercises, products.',
  squad: 'Who is online, training together live.',
};

// With another supergraph the page does not show the platform's services, because they are not behind the gateway.
function page(settings: GatewaySettings, sdl: string): string {
  const { demo } = settings;
  const isOwn = isOwnSupergraph(settings);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Fitness platform</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="pages/page.css">
<script type="module" src="pages/start-page.js"></script>
${demo && isOwn ? '<script type="module" src="pages/live-system.js"></script>' : ''}
</head>
<body>
<main>
<header>
<h1>Fitness platform</h1>
<p>${isOwn ? 'Six services, one graph. This is the gateway to them.' : 'The gateway, on a supergraph of your own.'}</p>
<p role="status" id="summary"></p>
</header>
<ul class="doors">
${DOORS.map(door).join('\n')}
</ul>
${isOwn ? systemSection(demo) + servicesSection(demo) : ''}
<section>
<h2>What the graph is made of</h2>
<p>The types that several services share, with the number of fields of each service. Key fields are not counted.</p>
${graphMapTable(sdl)}
</section>
${demo && isOwn ? DEMO_SECTION : ''}
</main>
</body>
</html>
`;
}

interface Door {
  title: string;
  text: string;
  links: readonly (readonly [text: string, href: string])[];
}

const DOORS: readonly Door[] = [
  {
    title: 'The graph',
    text: 'Queries, mutations, subscriptions and uploads at <code>/graphql</code>. Log in and try them.',
    links: [['Open the explorer', 'explorer']],
  },
  {
    title: 'REST',
    text: 'Every route of every service, under its prefix.',
    links: [
      ['Read and try', 'docs'],
      ['OpenAPI', 'openapi.json'],
    ],
  },
  {
    title: 'Sockets',
    text: 'Live squads over the raw socket, subscriptions over <code>graphql-transport-ws</code>.',
    links: [
      ['Read', 'asyncapi'],
      ['AsyncAPI', 'asyncapi.json'],
    ],
  },
  {
    title: 'Operations',
    text: 'The gateway itself.',
    links: [
      ['Health', 'health/ready'],
      ['Metrics', 'metrics'],
    ],
  },
];

const link = ([text, href]: readonly [string, string], kind = ''): string =>
  `<a${kind && ` class="${kind}"`} href="${href}">${text}</a>`;

const door = ({ title, text, links }: Door, index: number): string =>
  `<li class="card"><h2>${title}</h2>${title === 'Operations' ? state('gateway', 'health/ready') : ''}<p>${text}</p><div class="links">${links.map((one) => link(one, index === 0 ? 'button' : '')).join('')}</div></li>`;

/** start-page.js fills it in and refreshes it. */
const state = (name: string, health: string): string =>
  `<span class="state" data-name="${name}" data-health="${health}"></span>`;

/** The account that sees every gym; its password is public, as that of every demo account. */
const LIVE_ACCOUNT = JSON.stringify({ email: demoPerson('super@demo.test').email, password: DEMO_PASSWORD });

const systemSection = (demo: boolean): string => `<section class="running">
<h2>The running system</h2>
${systemPicture()}
${demo ? LIVE : ''}
</section>
`;

const LIVE = `<div id="live-system" data-account='${LIVE_ACCOUNT}'>
<h3>People inside <small id="live-state" role="status">Connecting</small></h3>
<ul id="occupancy" class="occupancy"></ul>
<h3>Events since this page was opened</h3>
<p id="no-events">None yet. Check somebody in at the <a href="gym/kiosk">kiosk</a>, or book a class in the <a href="explorer">explorer</a>.</p>
<ul id="events" class="events"></ul>
</div>`;

const servicesSection = (demo: boolean): string => `<section>
<h2>The services</h2>
<ul class="services">
${SERVICE_NAMES.map((name) => serviceCard(name, demo)).join('\n')}
</ul>
</section>`;

function serviceCard(name: ServiceName, demo: boolean): string {
  const links: (readonly [string, string])[] = [
    ['REST', `${name}/docs`],
    ['OpenAPI', `${name}/openapi.json`],
    ['Health', `${name}/health/ready`],
  ];
  if (name === 'gym') links.push(['Kiosk', 'gym/kiosk']);
  if (name === 'squad') {
    links.push(['Socket', 'squad/asyncapi']);
    if (demo) links.push(['Live page', 'squad/demo']);
  }
  return `<li class="card"><h3>${name} ${state(name, `${name}/health/ready`)} <span class="port">port ${SERVICE_PORTS[name]}</span></h3><p>${PURPOSE[name]}</p><div class="links">${links.map((one) => link(one)).join('')}</div></li>`;
}

const DEMO_SECTION = `<section>
<h2>Demo accounts</h2>
<p>Password of all: <code>${DEMO_PASSWORD}</code></p>
<div class="scroll" tabindex="0" role="region" aria-label="Demo accounts"><table>
<thead><tr><th scope="col">Email</th><th scope="col">Name</th><th scope="col">Role</th><th scope="col">Gym</th></tr></thead>
<tbody>
${DEMO_PEOPLE.map(({ email, displayName, role, gymId }) => `<tr><th scope="row"><code>${email}</code></th><td>${displayName}</td><td>${role}</td><td>${Object.values(DEMO_GYMS).find((gym) => gym.id === gymId)?.name ?? 'every gym'}</td></tr>`).join('\n')}
</tbody>
</table></div>
</section>`;
