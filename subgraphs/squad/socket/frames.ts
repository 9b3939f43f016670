import type { OnlineUserShape, OnlineUsersUpdate } from '../presence/presence.shapes.ts';

/** A frame to a client. */
export interface OutgoingFrame {
  event: string;
  id?: string | number;
  data: unknown;
  seq?: number;
}

export const frameText = (frame: OutgoingFrame): string => JSON.stringify(frame);

/**
 * `online_users_updated`, or with an `id` the ack of `user_online`. A thousand clients of a gym get the same update:
 * its bytes are made once, and each user's part of them once as long as her entry stays.
 */
export function onlineUsersFrame(update: OnlineUsersUpdate, id?: string | number): Buffer | string {
  if (id !== undefined) return `{"event":"ack","id":${JSON.stringify(id)},"data":${dataOf(update)}}`;
  const known = frames.get(update);
  if (known) return known;
  const frame = Buffer.from(`{"event":"online_users_updated","data":${dataOf(update)},"seq":${update.seq}}`);
  frames.set(update, frame);
  return frame;
}

const frames = new WeakMap<OnlineUsersUpdate, Buffer>();
const texts = new WeakMap<OnlineUsersUpdate, string>();
const userTexts = new WeakMap<OnlineUserShape, string>();

function dataOf(update: OnlineUsersUpdate): string {
  const known = texts.get(update);
  if (known !== undefined) return known;
  const text = `{"users":[${update.users.map(userText).join(',')}],"removed":${JSON.stringify(update.removed)},"full":${update.full},"seq":${update.seq}}`;
  texts.set(update, text);
  return text;
}

function userText(user: OnlineUserShape): string {
  const known = userTexts.get(user);
  if (known !== undefined) return known;
  const text = JSON.stringify(user);
  userTexts.set(user, text);
  return text;
}
