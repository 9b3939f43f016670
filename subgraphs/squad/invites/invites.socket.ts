import type { SocketEvents } from '../socket/events.socket.ts';

export const invitesSocket = {
  async send_squad_invite(data, { invites }) {
    return { invite: await invites.send(data) };
  },
  async respond_squad_invite(data, { invites }) {
    return { invite: await invites.respond(data) };
  },
} satisfies SocketEvents;
