// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {DiamondBatch} from "./DealTypes.sol";

/// @notice Serves many diamonds in one transaction. Holds the operator role; only operators may call it.
interface IBatcher {
    /// @notice One diamond's part failed (paused, not a diamond of the registry, reverted); the others went on.
    /// @dev `reason` is the revert data, cut to 64 bytes.
    event BatchFailed(address indexed diamond, bytes reason);

    error NotOperator(address caller);
    /// @notice Reason of `BatchFailed` for an address that the registry did not create.
    error NotDiamond(address diamond);
    /// @notice The whole transaction was given too little gas to tell a failure of this part from running out of it.
    error InsufficientGas(address diamond);

    /// @notice The registry whose operators may call and whose diamonds are served.
    function registry() external view returns (address);

    /// @notice Calls `createDeals` of each diamond.
    function createDeals(DiamondBatch[] calldata batches) external;

    /// @notice Calls `cancelDeals` of each diamond with the ids of its deals.
    function cancelDeals(DiamondBatch[] calldata batches) external;
}
