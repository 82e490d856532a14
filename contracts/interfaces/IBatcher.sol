// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {CancelBatch, DiamondBatch} from "./DealTypes.sol";

/// @notice Serves many diamonds in one transaction. Holds the operator role; only operators may call it.
interface IBatcher {
    /// @notice One diamond's part failed (paused, no code, reverted); the others went on.
    /// @param diamond The diamond of the part.
    /// @param reason The revert data, cut to 64 bytes, or one of the three reasons below.
    event BatchFailed(address indexed diamond, bytes reason);

    /// @notice Only operators may call.
    /// @param caller The actual caller.
    error NotOperator(address caller);
    /// @notice Reason of a failure: the address has no code.
    /// @param diamond The address.
    error NotDiamond(address diamond);
    /// @notice Reason of a failure: the diamond gave none and had gas left.
    /// @param diamond The diamond.
    error NoReason(address diamond);
    /// @notice Reason of a failure: the diamond gave none and used all the gas of its part.
    /// @param diamond The diamond.
    error OutOfGas(address diamond);
    /// @notice The numbers of diamonds and of lists of ids differ.
    /// @param diamonds Number of diamonds.
    /// @param lists Number of lists.
    error LengthMismatch(uint256 diamonds, uint256 lists);
    /// @notice The part failed without a reason, with less gas left than its limit.
    /// @param diamond The diamond of the part.
    error InsufficientGas(address diamond);

    /// @notice The registry whose operators may call.
    /// @return Its address.
    function registry() external view returns (address);

    /// @notice Calls `createDeals` of each diamond.
    /// @param batches One part for each diamond, with the gas that it may use at most. Whether it is one of the registry
    ///        is for the caller to know: an operator could call any address itself.
    /// @return failures The reason of each part's failure, as in `BatchFailed`; empty for success.
    function createDeals(DiamondBatch[] calldata batches) external returns (bytes[] memory failures);

    /// @notice Calls `cancelDeals` of each diamond.
    /// @param batches One part for each diamond, with the gas that it may use at most.
    /// @return failures The reason of each part's failure, as in `BatchFailed`; empty for success.
    function cancelDeals(CancelBatch[] calldata batches) external returns (bytes[] memory failures);

    /// @notice Reads the words of deals on many diamonds through `dealWords` of each.
    /// @dev For `eth_call`. A diamond that fails or answers nonsense affects its own part only.
    /// @param diamonds Any addresses.
    /// @param dealIds Any ids, one list per diamond.
    /// @return words For each diamond a word for each id: zero where there is no code; no words at all where it does
    ///         not answer.
    function dealWords(address[] calldata diamonds, uint256[][] calldata dealIds)
        external
        view
        returns (bytes32[][] memory words);
}
