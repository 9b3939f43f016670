import type { GatewayContext } from '../graph/context.ts';
import type { RawAnswer } from './answer-reader.ts';

interface UnderWay {
  /** None once it is there: a map's earlier tables, which V8 may keep for a while, then hold no answers. */
  answer: Promise<RawAnswer> | undefined;
}

/**
 * Equal queries of one caller that are under way at the same time are sent once. The key holds everything that is
 * passed on and may change the answer: who asks, from where, with which program; not the ids by which requests are traced.
 */
export class InFlight {
  private readonly underWay = new Map<string, UnderWay>();

  send(body: string, context: Partial<GatewayContext>, send: () => Promise<RawAnswer>): Promise<RawAnswer> {
    const key = `${context.authorization}\n${context.address}\n${context.userAgent}\n${body}`;
    const known = this.underWay.get(key)?.answer;
    if (known) return known;
    const one: UnderWay = { answer: undefined };
    const answer = send().finally(() => {
      one.answer = undefined;
      this.underWay.delete(key);
    });
    one.answer = answer;
    this.underWay.set(key, one);
    return answer;
  }
}
