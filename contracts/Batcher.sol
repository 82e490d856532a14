// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {CancelBatch, DealKey, DiamondBatch} from "./interfaces/DealTypes.sol";
import {IBatcher} from "./interfaces/IBatcher.sol";
import {IDealFacet} from "./interfaces/IDealFacet.sol";
import {IRegistry} from "./interfaces/IRegistry.sol";
import {Roles} from "./libraries/Roles.sol";

/// @notice Serves many diamonds in one transaction. Holds the operator role; only operators may call it.
/// @dev The caller says how much gas each part may use: prices differ between networks, and change. A part that fails is
///      reported and skipped. One that got less than it may use, because no more was left, and gives no reason, must not
///      look like a failure: then the whole transaction reverts, which also keeps gas estimates honest.
contract Batcher is IBatcher {
    /// @dev More gas than reading can need, about three times what was measured. It bounds what a diamond that never ends
    ///      burns of an `eth_call`, which costs nobody anything.
    uint256 private constant GAS_PER_READ = 100_000;
    uint256 private constant GAS_PER_WORD = 10_000;
    /// @dev A selector and one argument, with room: enough for every typed error a diamond gives.
    uint256 private constant MAX_REASON = 64;

    IRegistry private immutable roles;

    modifier onlyOperator() {
        (bool isOperator,) = roles.roleState(Roles.OPERATOR, msg.sender);
        if (!isOperator) revert NotOperator(msg.sender);
        _;
    }

    /// @param registry_ The registry whose operators may call.
    constructor(address registry_) {
        roles = IRegistry(registry_);
    }

    /// @inheritdoc IBatcher
    function registry() external view returns (address) {
        return address(roles);
    }

    /// @inheritdoc IBatcher
    function createDeals(DiamondBatch[] calldata batches) external onlyOperator returns (bytes[] memory failures) {
        failures = new bytes[](batches.length);
        for (uint256 i; i < batches.length; ++i) {
            DealKey[] calldata deals = batches[i].deals;
            bytes memory data = abi.encodeCall(IDealFacet.createDeals, (deals));
            failures[i] = callPart(batches[i].diamond, batches[i].gasLimit, data);
        }
    }

    /// @inheritdoc IBatcher
    function cancelDeals(CancelBatch[] calldata batches) external onlyOperator returns (bytes[] memory failures) {
        failures = new bytes[](batches.length);
        for (uint256 i; i < batches.length; ++i) {
            uint256[] calldata dealIds = batches[i].dealIds;
            bytes memory data = abi.encodeCall(IDealFacet.cancelDeals, (dealIds));
            failures[i] = callPart(batches[i].diamond, batches[i].gasLimit, data);
        }
    }

    /// @inheritdoc IBatcher
    function dealWords(address[] calldata diamonds, uint256[][] calldata dealIds)
        external
        view
        returns (bytes32[][] memory words)
    {
        if (diamonds.length != dealIds.length) revert LengthMismatch(diamonds.length, dealIds.length);
        words = new bytes32[][](diamonds.length);
        for (uint256 i; i < diamonds.length; ++i) {
            words[i] = wordsOf(diamonds[i], dealIds[i]);
        }
    }

    /// @param limit Gas that the part may use at most.
    /// @return reason Empty where it worked.
    function callPart(address diamond, uint256 limit, bytes memory data) private returns (bytes memory reason) {
        // A call of no code would look like success.
        if (diamond.code.length == 0) {
            return failed(diamond, abi.encodeWithSelector(NotDiamond.selector, diamond));
        }
        bool isShort = isShortOf(limit);
        bool ok;
        uint256 size;
        uint256 used;
        assembly ("memory-safe") {
            used := gas()
            ok := call(limit, diamond, 0, add(data, 0x20), mload(data), 0x00, 0x00)
            used := sub(used, gas())
            size := returndatasize()
        }
        if (ok) return reason;
        if (size == 0) {
            if (isShort) revert InsufficientGas(diamond);
            // A diamond calls its facet and that the registry, and each keeps a 64th from the one that it calls (EIP-150):
            // so much comes back when the last of them has burnt all that it got. Gas for new state (EIP-8037) changes
            // nothing here: a call that runs out has burnt all that GAS shows, and the registry is asked before any deal
            // is stored, so that no such gas is given back with it.
            bytes4 selector = used >= limit - limit / 32 ? OutOfGas.selector : NoReason.selector;
            return failed(diamond, abi.encodeWithSelector(selector, diamond));
        }
        if (size > MAX_REASON) size = MAX_REASON;
        reason = new bytes(size);
        assembly ("memory-safe") {
            returndatacopy(add(reason, 0x20), 0x00, size)
        }
        return failed(diamond, reason);
    }

    function failed(address diamond, bytes memory reason) private returns (bytes memory) {
        emit BatchFailed(diamond, reason);
        return reason;
    }

    /// @dev A call gets 63/64 of what is left where that is less than its limit (EIP-150). The second 64th is for what is
    ///      used between here and the call.
    function isShortOf(uint256 limit) private view returns (bool) {
        return gasleft() - gasleft() / 32 < limit;
    }

    /// @dev Whatever is no list of so many words is no answer, and must not be taken for deals that are unknown.
    function wordsOf(address diamond, uint256[] calldata dealIds) private view returns (bytes32[] memory words) {
        uint256 count = dealIds.length;
        if (diamond.code.length == 0) return new bytes32[](count);
        bytes memory data = abi.encodeCall(IDealFacet.dealWords, (dealIds));
        uint256 limit = GAS_PER_READ + count * GAS_PER_WORD;
        bool isShort = isShortOf(limit);
        bool ok;
        uint256 size;
        assembly ("memory-safe") {
            ok := staticcall(limit, diamond, add(data, 0x20), mload(data), 0x00, 0x40)
            size := returndatasize()
            ok := and(ok, eq(size, add(0x40, mul(count, 0x20))))
            ok := and(ok, and(eq(mload(0x00), 0x20), eq(mload(0x20), count)))
        }
        if (!ok) {
            if (isShort && size == 0) revert InsufficientGas(diamond);
            return words;
        }
        words = new bytes32[](count);
        assembly ("memory-safe") {
            returndatacopy(add(words, 0x20), 0x40, mul(count, 0x20))
        }
    }
}
