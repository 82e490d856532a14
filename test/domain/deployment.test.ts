import {
  currentStep,
  deploymentSteps,
  type DeploymentStepState,
  type DeploymentStepStatus,
} from '../../domain/deployment.ts';

const steps = (...statuses: DeploymentStepStatus[]): DeploymentStepState[] =>
  deploymentSteps.deploy.map((key, index) => ({ id: `id-${index}`, key, status: statuses[index] ?? 'pending' }));

describe('the current step', () => {
  it.each<[DeploymentStepStatus[], string]>([
    [['started'], 'preflight'],
    [['failed'], 'preflight'],
    [['completed', 'started'], 'deploy_facets'],
    [['completed', 'completed', 'failed'], 'deploy_diamond'],
    [['completed', 'completed', 'completed', 'pending'], 'verify'],
    [['completed', 'completed', 'completed', 'completed', 'started'], 'activate'],
    [['completed', 'completed', 'completed', 'completed', 'completed'], 'activate'],
  ])('of %j is %s', (statuses, key) => {
    expect(currentStep(steps(...statuses)).key).toBe(key);
  });

  it('is null for a deployment without steps', () => {
    expect(() => currentStep([])).toThrow('at least one step');
  });
});
