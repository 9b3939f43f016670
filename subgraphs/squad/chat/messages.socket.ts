import type { SocketEvents } from '../socket/events.socket.ts';

export const messagesSocket: SocketEvents = {
  async send_squad_message(data, { messages }) {
    return { message: await messages.send(data) };
  },
};
