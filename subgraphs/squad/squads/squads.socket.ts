import { z } from 'zod';
import { MAX_INTEGER } from '#server/shapes.ts';
import { validated } from '#server/validate.ts';
import type { SocketEvents } from '../socket/events.socket.ts';
import { JoinSquadShape, SquadIdShape } from './squads.shapes.ts';

const joinShape = JoinSquadShape.extend({
  fromMessage: z
    .int('expected the number of the last message that you have')
    .min(0)
    .max(MAX_INTEGER)
    .nullish(),
});

export const squadsSocket = {
  /** Enters the squad, and listens to it and its chat. Missed events come in the ack, missed messages as frames before the ack. */
  async join_squad(data, { squads, messages }, connection) {
    const { squadId, fromRevision, fromMessage } = validated(joinShape, data);
    await squads.join({ squadId });
    const onEnd = () => connection.release(`squad ${squadId}`);
    const { stop, ...replay } = await squads.watch(squadId, fromRevision, {
      deliver: (event) => connection.push(event.event, event, event.revision),
      onEnd,
    });
    connection.keep(`squad ${squadId}`, stop);
    const unfollow = await messages.watch(squadId, fromMessage, {
      deliver: (message) => connection.push('squad_message', { message }, message.seq),
      onEnd: () => connection.release(`chat ${squadId}`),
    });
    connection.keep(`chat ${squadId}`, unfollow);
    return replay;
  },
  async leave_squad(data, { squads }) {
    return { session: await squads.leave(validated(SquadIdShape, data)) };
  },
  async start_squad(data, { squads }) {
    return { session: await squads.start(data) };
  },
  async pause_squad(data, { squads }) {
    return { session: await squads.pause(data) };
  },
  async end_squad(data, { squads }) {
    return { session: await squads.end(data) };
  },
  async kick_from_squad(data, { squads }) {
    return { session: await squads.kick(data) };
  },
  async make_squad_host(data, { squads }) {
    return { session: await squads.makeHost(data) };
  },
  async update_workout(data, { squads }) {
    const { revision } = await squads.updateWorkout(data);
    return { revision };
  },
} satisfies SocketEvents;
