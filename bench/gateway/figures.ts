/** The figures of one compared program. */
export interface Figures {
  readonly name: string;
  /** Milliseconds of processor time per request. */
  readonly cpuMillis: number;
  /** The processor time of this gateway divided by that of the program: the median of the ratios of consecutive rounds. */
  readonly cpuRatio: number;
  /** The maximum number of requests per second. */
  readonly perSecond: number;
  readonly failures: number;
  /** Latency in milliseconds at half of that rate. */
  readonly p50: number;
  readonly p99: number;
  /**
   * Steal time: the largest share of processor time that the host of the virtual machine used during a round of p50 and
   * p99.
   */
  readonly steal: number;
  readonly memoryMib: number;
}

/** The figures of one workload. */
export interface Measured {
  readonly workload: string;
  /** Whether a gateway sends equal concurrent requests to a subgraph once. */
  readonly sharing: boolean;
  /** The size of the response. */
  readonly bytes: number;
  /** The number of requests to subgraphs per request. */
  readonly fetches: number;
  readonly figures: readonly Figures[];
  /** The day of the measurement. */
  readonly date: string;
}
