import { readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { type OctopusAgentOptions, octopusAgentReader } from '../../../drivers/octopus/agent/reader.ts';
import type { DeviceState } from '../../../src/base/ports/device.ts';
import type { OctopusReader } from '../../../src/base/ports/octopus-reader.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { type AgentSide, ScriptedAgent } from './scripted-agent.ts';
import { becomes } from '../../support/device-state.ts';

export const answerTimeoutMs = 1_000;
export const reconnectMs = 700;
export const pollMs = 500;
export const pollPauseMs = 20;

export interface Exchange {
  readonly name: string;
  readonly request: string;
  readonly answer: string;
  readonly outcome: { readonly kind: string; readonly error?: string };
}

const file = new URL('../../../fixtures/frames/octopus.json', import.meta.url);
export const exchanges: readonly Exchange[] = JSON.parse(readFileSync(file, 'utf8')).exchanges;
export const opened = { code: 0, deviceId: '17A2', companyId: '0C01' };
export const order = { amountMinor: 3000n, cardId: '90000018', reference: '20260825-000123' };
export const never = new AbortController().signal;

export interface Stage {
  readonly agent: ScriptedAgent;
  readonly clock: ManualClock;
  readonly reader: OctopusReader;
  /** Every state that was told, in order. */
  readonly states: DeviceState[];
}

/** A reader and an agent that has not answered yet, closed again after the test. */
export async function stage(t: TestContext, options: Partial<OctopusAgentOptions> = {}): Promise<Stage> {
  const agent = await ScriptedAgent.at();
  await agent.listen();
  const clock = new ManualClock();
  const times = { answerTimeoutMs, reconnectMs, pollMs, pollPauseMs };
  const reader = octopusAgentReader({ path: agent.path, clock, ...times, ...options });
  const states: DeviceState[] = [];
  reader.onState((state) => states.push(state));
  t.after(async () => {
    await reader.close();
    await agent.remove();
  });
  return { agent, clock, reader, states };
}

export async function ready(t: TestContext): Promise<Stage & { readonly side: AgentSide }> {
  const all = await stage(t);
  return { ...all, side: await open(all) };
}

/** The next connection, opened. */
export async function open({ agent, reader }: Stage): Promise<AgentSide> {
  const side = await agent.accepted();
  const { id } = await side.request();
  await side.answer({ id, ...opened });
  await becomes(reader, 'ready');
  return side;
}
