export interface Figures {
  readonly name: string;
  /** Milliseconds of processor time a request. */
  readonly cpuMillis: number;
  /** This gateway's processor time divided by the contender's: the median of consecutive rounds. */
  readonly oursIs: number;
  /** The highest rate of requests. */
  readonly perSecond: number;
  readonly failures: number;
  /** Milliseconds of a request at half of that rate. */
  readonly p50: number;
  readonly p99: number;
  /** The largest share of processor time that the host took during a round of p50 and p99. */
  readonly stolen: number;
  readonly memoryMib: number;
}

export interface Measured {
  readonly workload: string;
  readonly sharing: boolean;
  readonly bytes: number;
  readonly fetches: number;
  readonly figures: readonly Figures[];
  /** The day of the measurement. */
  readonly date: string;
}
