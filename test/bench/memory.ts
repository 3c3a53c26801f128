import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** Bytes of memory of a process, as the kernel counts them. */
export interface Memory {
  readonly rss: number;
  readonly anonymous: number;
  /** The highest `rss` since the last reset. */
  readonly peak: number;
}

export function memoryOf(pid: number): Memory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const bytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) * 1024;
  return { rss: bytes('VmRSS'), anonymous: bytes('RssAnon'), peak: bytes('VmHWM') };
}

export interface MemoryPeak {
  readonly rss: number;
  readonly anonymous: number;
}

const sampleMs = 10;

/** Watches a process from now on; the kernel's own high-water mark where it may be reset, and samples beside it. */
export function watchMemory(pid: number): () => MemoryPeak {
  let resets = true;
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    resets = false;
  }
  const peak = { rss: 0, anonymous: 0 };
  const sample = (): void => {
    const now = memoryOf(pid);
    peak.rss = Math.max(peak.rss, now.rss, resets ? now.peak : 0);
    peak.anonymous = Math.max(peak.anonymous, now.anonymous);
  };
  sample();
  const timer = setInterval(() => {
    // A process that has ended says so to its caller.
    if (existsSync(`/proc/${pid}`)) sample();
    else clearInterval(timer);
  }, sampleMs);
  return () => {
    clearInterval(timer);
    sample();
    return peak;
  };
}
