import { SERVICE_NAMES } from '#server/settings.ts';

const WIDTH = 360;
const COLUMN = 180;
const ROW = 96;
const BOX = { width: 150, height: 64 };
const GATEWAY_HEIGHT = 52;
const FIRST_ROW = 100;

/**
 * The gateway and the services as a picture, in two columns, so that it is readable on a telephone. live-system.js colours
 * the services by their health, and moves a dot from the service of each event to the gateway.
 */
export function systemPicture(): string {
  const rows = Math.ceil(SERVICE_NAMES.length / 2);
  const height = FIRST_ROW + (rows - 1) * ROW + BOX.height + 8;
  const places = SERVICE_NAMES.map((name, index) => ({
    name,
    x: (index % 2) * COLUMN + (COLUMN - BOX.width) / 2,
    y: FIRST_ROW + Math.floor(index / 2) * ROW,
  }));
  return `<svg class="system" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="The gateway, connected with ${SERVICE_NAMES.length} services">
${places.map(connection).join('\n')}
<g class="node gateway"><rect x="90" y="8" width="180" height="${GATEWAY_HEIGHT}" rx="10"/><text x="180" y="30">gateway</text><text class="small" x="180" y="48" data-live-total>GraphQL, REST, sockets</text></g>
${places.map(service).join('\n')}
</svg>`;
}

interface Place {
  readonly name: string;
  readonly x: number;
  readonly y: number;
}

/** From the service to the middle, and up to the gateway. */
const connection = ({ name, x, y }: Place): string => {
  const side = x < COLUMN ? x + BOX.width : x;
  const middle = y + BOX.height / 2;
  const path = `M${side} ${middle} H${WIDTH / 2} V${GATEWAY_HEIGHT + 8}`;
  return `<path class="wire" d="${path}"/><circle class="pulse" data-pulse="${name}" r="6" style="offset-path: path('${path}')"/>`;
};

const service = ({ name, x, y }: Place): string =>
  `<g class="node" data-node="${name}"><rect x="${x}" y="${y}" width="${BOX.width}" height="${BOX.height}" rx="10"/><circle class="lamp" cx="${x + 18}" cy="${y + 24}" r="5"/><text class="name" x="${x + 32}" y="${y + 29}">${name}</text><text class="small name" x="${x + 32}" y="${y + 49}" data-count="${name}">no events yet</text></g>`;
