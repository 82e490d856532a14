import type { Deployer } from '../domain/ports/deployment.ts';
import type { InspectedDiamond } from '../domain/version-check.ts';
import { withFailures } from './failures.ts';

export interface InspectionActivityDeps {
  readonly deployer: (networkId: string) => Promise<Deployer>;
}

/** Inspects diamonds, on a separate queue: callers may request any number of inspections. */
export const createInspectionActivities = ({ deployer }: InspectionActivityDeps) =>
  withFailures({
    inspectDiamond: async (networkId: string, address: string): Promise<InspectedDiamond> => {
      const inspection = await (await deployer(networkId)).inspect(address);
      return { ...inspection, checkedAt: new Date().toISOString() };
    },
  });

/** By name, as the workflow calls it. */
export type InspectionActivities = ReturnType<typeof createInspectionActivities>;
