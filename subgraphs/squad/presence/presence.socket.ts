import { z } from 'zod';
import { validated } from '#server/validate.ts';
import type { SocketEvents } from '../socket/events.socket.ts';

const options = z.object({ delta: z.boolean('expected true or false').optional() });

export const presenceSocket: SocketEvents = {
  async user_online(data, { onlineUsers }, connection) {
    const { delta } = validated(options, data);
    await onlineUsers.goOnline(data);
    const board = await onlineUsers.watch({
      delta,
      pace: connection.presencePace,
      deliver: (update) => connection.pushPresence(update),
    });
    connection.keep('presence', board.stop);
    return board.snapshot();
  },
};
