import type { Server } from 'node:http';
import { viewerOf } from '../auth/authenticate.ts';
import type { SocketDoor } from '../define-subgraph.ts';
import { serveSubscriptions } from '../graphql/subscriptions.ts';
import { eventDelays, type EventDelays } from '../observability/event-cause.ts';
import { SocketMessages } from '../observability/socket-messages.ts';
import { SpanKind } from '../observability/tracing.ts';
import { createSockets, type Sockets } from '../http/sockets.ts';
import type { DoorHost } from './doors.ts';
import type { Graph } from './graph.ts';

const MAX_SUBSCRIBE_BYTES = 256 * 1024; // 256 KiB
const MAX_FRAME_BYTES = 64 * 1024; // 64 KiB

/** Opens the socket endpoints of a service: its subscriptions at `/graphql`, and its own socket doors. */
export function openSockets(server: Server, host: DoorHost, graph: Graph): { stop(): Promise<void> } {
  const { subgraph, rules, origins } = host;
  const { settings, metrics } = rules.base;
  const sockets = createSockets(server, { settings, metrics, origins });
  const delays = eventDelays(metrics);
  const stopSubscriptions = openSubscriptions(sockets, host, graph, delays);
  const messages = new SocketMessages(delays, host.tracing);
  for (const door of subgraph.sockets ?? []) openDoor(door, sockets, host, messages);
  return {
    async stop() {
      for (const door of subgraph.sockets ?? []) door.onStop?.(rules.resources);
      await sockets.close();
      await stopSubscriptions?.();
    },
  };
}

function openSubscriptions(
  sockets: Sockets,
  { rules, verifier, origins, tracing }: DoorHost,
  { schema, checks, contextOf }: Graph,
  delays: EventDelays,
): (() => Promise<void>) | undefined {
  if (!schema.getSubscriptionType()) return undefined;
  const endpoint = sockets.endpoint('/graphql', ['graphql-transport-ws'], MAX_SUBSCRIBE_BYTES);
  const { settings, log } = rules.base;
  return serveSubscriptions(endpoint, {
    schema,
    checks,
    verifier,
    settings,
    log,
    delays,
    tracing,
    async contextFor(authorization, request) {
      const viewer = await viewerOf(authorization, verifier);
      const unit = rules.unitOf(viewer, { ...origins.of(request), authorization });
      return contextOf(unit, rules.servicesOf(unit));
    },
  });
}

function openDoor(
  door: SocketDoor<unknown, unknown>,
  sockets: Sockets,
  { rules, verifier, origins, tracing }: DoorHost,
  messages: SocketMessages,
): void {
  const { path, protocols, maxPayloadBytes = MAX_FRAME_BYTES } = door;
  sockets.endpoint(path, protocols, maxPayloadBytes).on('connection', (socket, request) => {
    const origin = origins.of(request);
    door.onConnection(socket, request, {
      resources: rules.resources,
      verifier,
      log: rules.base.log,
      servicesOf: (viewer, authorization) =>
        rules.servicesOf(rules.unitOf(viewer, { ...origin, authorization })),
      begin: (event) =>
        tracing?.start(event, undefined, {
          kind: SpanKind.server,
          attributes: { 'network.protocol.name': 'websocket' },
        }),
      sending: (event) => messages.sending(event),
    });
  });
}
