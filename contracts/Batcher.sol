// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {DealKey, DiamondBatch} from "./interfaces/DealTypes.sol";
import {IBatcher} from "./interfaces/IBatcher.sol";
import {IDealFacet} from "./interfaces/IDealFacet.sol";
import {IRegistry} from "./interfaces/IRegistry.sol";

/// @notice Serves many diamonds in one transaction. Holds the operator role; only operators may call it.
/// @dev A part that fails for a reason is reported and skipped. A part that ran out of gas gives no reason and must not
///      look like a failure, so then the whole transaction reverts, which also keeps gas estimates honest.
contract Batcher is IBatcher {
    /// @dev More gas than a part can need, about twice what was measured. It bounds what a part that never ends burns.
    uint256 private constant GAS_PER_PART = 150_000;
    uint256 private constant GAS_PER_DEAL = 60_000;
    /// @dev A selector and one argument, with room: enough for every typed error a diamond gives.
    uint256 private constant MAX_REASON = 64;

    IRegistry private immutable roles;

    modifier onlyOperator() {
        if (!roles.isOperator(msg.sender)) revert NotOperator(msg.sender);
        _;
    }

    /// @param registry_ The registry whose operators may call and whose diamonds are served.
    constructor(address registry_) {
        roles = IRegistry(registry_);
    }

    /// @inheritdoc IBatcher
    function registry() external view returns (address) {
        return address(roles);
    }

    /// @inheritdoc IBatcher
    function createDeals(DiamondBatch[] calldata batches) external onlyOperator {
        for (uint256 i; i < batches.length; ++i) {
            DealKey[] calldata deals = batches[i].deals;
            callPart(batches[i].diamond, deals.length, abi.encodeCall(IDealFacet.createDeals, (deals)));
        }
    }

    /// @inheritdoc IBatcher
    function cancelDeals(DiamondBatch[] calldata batches) external onlyOperator {
        for (uint256 i; i < batches.length; ++i) {
            DealKey[] calldata deals = batches[i].deals;
            uint256[] memory dealIds = new uint256[](deals.length);
            for (uint256 j; j < deals.length; ++j) {
                dealIds[j] = deals[j].dealId;
            }
            callPart(batches[i].diamond, deals.length, abi.encodeCall(IDealFacet.cancelDeals, (dealIds)));
        }
    }

    function callPart(address diamond, uint256 count, bytes memory data) private {
        // Only diamonds of the registry run code that is known to give a reason whenever it fails on purpose.
        if (!roles.isDiamond(diamond)) {
            emit BatchFailed(diamond, abi.encodeWithSelector(NotDiamond.selector, diamond));
            return;
        }
        uint256 limit = GAS_PER_PART + count * GAS_PER_DEAL;
        bool limited = gasleft() - gasleft() / 64 < limit;
        bool ok;
        uint256 size;
        assembly ("memory-safe") {
            // The call passes on 63/64 of what is left where that is less than the limit (EIP-150).
            ok := call(limit, diamond, 0, add(data, 0x20), mload(data), 0x00, 0x00)
            size := returndatasize()
        }
        if (ok) return;
        if (limited && size == 0) revert InsufficientGas(diamond);
        if (size > MAX_REASON) size = MAX_REASON;
        bytes memory reason = new bytes(size);
        assembly ("memory-safe") {
            returndatacopy(add(reason, 0x20), 0x00, size)
        }
        emit BatchFailed(diamond, reason);
    }
}
