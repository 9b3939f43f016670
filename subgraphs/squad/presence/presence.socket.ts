import { z } from 'zod';
import { validated } from '#server/validate.ts';
import type { SocketEvents } from '../socket/events.socket.ts';

const options = z.object({ delta: z.boolean('expected true or false').optional() });

export const presenceSocket: SocketEvents = {
  async user_online(data, { onlineUsers }, connection) {
    await onlineUsers.goOnline(data);
    const { delta } = validated(options, data);
    const board = await onlineUsers.watch({
      delta,
      deliver: (update) => connection.pushPresence(update) || board.refresh(),
    });
    connection.keep('presence', board.stop);
    return board.snapshot();
  },
};
