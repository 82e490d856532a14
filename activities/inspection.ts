import type { Deployer } from '../domain/ports/deployment.ts';
import type { CheckedDiamond } from '../domain/version-check.ts';
import { withFailures } from './failures.ts';

/** What an inspection's activity works with. */
export interface InspectionActivityDeps {
  readonly deployer: (networkId: string) => Promise<Deployer>;
}

/** Looks at diamonds; they have a queue of their own, because anybody may ask for as many looks as he likes. */
export const createInspectionActivities = ({ deployer }: InspectionActivityDeps) =>
  withFailures({
    inspectDiamond: async (networkId: string, address: string): Promise<CheckedDiamond> => {
      const inspection = await (await deployer(networkId)).inspect(address);
      return { ...inspection, checkedAt: new Date().toISOString() };
    },
  });

/** By name, as the workflow calls it. */
export type InspectionActivities = ReturnType<typeof createInspectionActivities>;
