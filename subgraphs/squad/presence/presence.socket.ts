import { z } from 'zod';
import { validated } from '#server/validate.ts';
import type { SocketEvents } from '../socket/events.socket.ts';

const options = z.object({ delta: z.boolean('expected true or false').optional() });

export const presenceSocket = {
  async user_online(data, { onlineUsers }, connection) {
    const { delta } = validated(options, data);
    const board = await onlineUsers.watch({
      delta,
      pace: connection.presencePace,
      deliver: (update) => connection.pushPresence(update),
    });
    try {
      await onlineUsers.goOnline(data);
    } catch (error) {
      board.stop();
      throw error;
    }
    // The updates begin with the snapshot. It is taken after the announcement, so that it contains the client's own change.
    connection.keep('presence', board.stop);
    return board.snapshot();
  },
} satisfies SocketEvents;
