import type { SocketEvents } from '../socket/events.socket.ts';

export const messagesSocket = {
  async send_squad_message(data, { messages }) {
    return { message: await messages.send(data) };
  },
  async delete_squad_message(data, { messages }) {
    await messages.delete(data);
    return {};
  },
  async report_squad_message(data, { messageReports }) {
    return { report: await messageReports.report(data) };
  },
} satisfies SocketEvents;
