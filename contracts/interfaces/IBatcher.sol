// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {DiamondBatch} from "./DealTypes.sol";

/// @notice Serves many diamonds in one transaction. Holds the operator role; only operators may call it.
interface IBatcher {
    /// @notice One diamond's part failed (paused, not a diamond of the registry, reverted); the others went on.
    /// @param diamond Whose part it was.
    /// @param reason The revert data, cut to 64 bytes.
    event BatchFailed(address indexed diamond, bytes reason);

    /// @notice Only operators may call.
    /// @param caller Who called instead.
    error NotOperator(address caller);
    /// @notice Reason of `BatchFailed` for an address that the registry did not create.
    /// @param diamond The address.
    error NotDiamond(address diamond);
    /// @notice The whole transaction was given too little gas to tell a failure of this part from running out of it.
    /// @param diamond Whose part got too little.
    error InsufficientGas(address diamond);

    /// @notice The registry whose operators may call and whose diamonds are served.
    /// @return Its address.
    function registry() external view returns (address);

    /// @notice Calls `createDeals` of each diamond.
    /// @param batches One part for each diamond.
    function createDeals(DiamondBatch[] calldata batches) external;

    /// @notice Calls `cancelDeals` of each diamond with the ids of its deals.
    /// @param batches One part for each diamond.
    function cancelDeals(DiamondBatch[] calldata batches) external;
}
