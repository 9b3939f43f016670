import type { GatewayContext } from '../graph/context.ts';
import type { RawAnswer } from './answer-reader.ts';

/**
 * Equal queries of one caller that are under way at the same time are sent once. The key holds everything that is
 * passed on and may change the answer: who asks, from where, with which program; not the ids by which requests are traced.
 */
export class InFlight {
  private readonly underWay = new Map<string, Promise<RawAnswer>>();

  send(body: string, context: Partial<GatewayContext>, send: () => Promise<RawAnswer>): Promise<RawAnswer> {
    const key = `${context.authorization}\n${context.address}\n${context.userAgent}\n${body}`;
    const known = this.underWay.get(key);
    if (known) return known;
    const answer = send().finally(() => this.underWay.delete(key));
    this.underWay.set(key, answer);
    return answer;
  }
}
