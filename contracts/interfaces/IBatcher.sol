// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {CancelBatch, DiamondBatch} from "./DealTypes.sol";

/// @notice Serves many diamonds in one transaction. Holds the operator role; only operators may call it.
interface IBatcher {
    /// @notice One diamond's part failed (paused, no code, reverted); the others went on.
    /// @param diamond Whose part it was.
    /// @param reason The revert data, cut to 64 bytes, or one of the three reasons below.
    event BatchFailed(address indexed diamond, bytes reason);

    /// @notice Only operators may call.
    /// @param caller Who called instead.
    error NotOperator(address caller);
    /// @notice Reason of a failure: there is no code at the address.
    /// @param diamond The address.
    error NotDiamond(address diamond);
    /// @notice Reason of a failure: the diamond gave none, and did not use its gas up.
    /// @param diamond The diamond.
    error NoReason(address diamond);
    /// @notice Reason of a failure: the diamond gave none, and used up all the gas that its part may use.
    /// @param diamond The diamond.
    error OutOfGas(address diamond);
    /// @notice There is not one list of ids for each diamond.
    /// @param diamonds How many diamonds.
    /// @param lists How many lists.
    error LengthMismatch(uint256 diamonds, uint256 lists);
    /// @notice The part failed without a reason, and there was less gas left for it than it may use.
    /// @param diamond Whose part got too little.
    error InsufficientGas(address diamond);

    /// @notice The registry whose operators may call.
    /// @return Its address.
    function registry() external view returns (address);

    /// @notice Calls `createDeals` of each diamond.
    /// @param batches One part for each diamond, with the gas that it may use at most. Whether it is one of the registry
    ///        is for the caller to know: an operator could call any address itself.
    /// @return failures For each part the reason why it failed, as in `BatchFailed`; empty where it worked.
    function createDeals(DiamondBatch[] calldata batches) external returns (bytes[] memory failures);

    /// @notice Calls `cancelDeals` of each diamond.
    /// @param batches One part for each diamond, with the gas that it may use at most.
    /// @return failures For each part the reason why it failed, as in `BatchFailed`; empty where it worked.
    function cancelDeals(CancelBatch[] calldata batches) external returns (bytes[] memory failures);

    /// @notice Reads the words of deals on many diamonds, as `dealWords` of each would answer.
    /// @dev For `eth_call`. One that fails, or answers something else, spoils nothing but its own part.
    /// @param diamonds Any addresses.
    /// @param dealIds For each of them any ids.
    /// @return words For each diamond a word for each id: zero where there is no code; no words at all where it does
    ///         not answer.
    function dealWords(address[] calldata diamonds, uint256[][] calldata dealIds)
        external
        view
        returns (bytes32[][] memory words);
}
