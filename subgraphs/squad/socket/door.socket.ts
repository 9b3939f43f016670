import type { SocketDoor } from '#server/define-subgraph.ts';
import type { SquadResources, SquadServices } from '../services.ts';
import { SocketConnection } from './connection.socket.ts';
import type { AllSocketEvents } from './events.socket.ts';

const FRAMES_PER_SECOND = 30;

/** The raw socket: `ws://host:3005/socket`, sub-protocol `squad.v1`. PROTOCOL.md is its reference. */
export const squadSocket = (events: AllSocketEvents): SocketDoor<SquadServices, SquadResources> => ({
  path: '/socket',
  protocols: ['squad.v1'],
  maxPayloadBytes: 64 * 1024,
  onConnection(socket, request, host) {
    const { settings } = host.resources;
    SocketConnection.serve(socket, request, host, events, {
      authenticateWithinMillis: settings.squadAuthenticateWithinMillis,
      heartbeatMillis: settings.squadHeartbeatMillis,
      framesPerSecond: settings.rateLimits ? FRAMES_PER_SECOND : undefined,
    });
  },
});
